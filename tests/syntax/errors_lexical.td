// What is no token is reported where it stands, once; a syntax error that follows from it is not.
fn a(x) = 12abc + 1. + .5 + 0x + 1__2;  // expect error[E0105]: `12abc` // expect error[E0105]: `1.` // expect error[E0105]: `.5` // expect error[E0105]: `0x` // expect error[E0105]: `1__2`
fn b(x) = 1.5f + 1e + 0b1 + 0xFG;       // expect error[E0105]: `1.5f` // expect error[E0105]: `1e` // expect error[E0105]: `0b1` // expect error[E0105]: `0xFG`
fn c(x) = 9223372036854775808;          // expect error[E0106]: larger than 9223372036854775807
fn d(x) = 1e999;                        // expect error[E0106]: not finite
fn e(x) = x @ x;                        // expect error[E0100]: `@` is not part of the language
fn f(x) = é + x;                        // expect error[E0100]: `é`: only comments and strings
fn g(x) = x # 1;                        // expect error[E0100]: `#`
fn h(x) = x ? 1 : 2;                    // expect error[E0100]: `?`
fn i(x) = 'c';                          // expect error[E0100]: `'`
require true, "bad \q escape";          // expect error[E0107]: unknown escape
require true, "open;                    // expect error[E0104]: does not end on its line
fn j(x) = x;
/* the last comment                     // expect error[E0103]: does not end
fn k(x) = = x;
