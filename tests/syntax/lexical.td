// Tokens: comments of every kind, numbers in every notation, documentation. Ünïcödé is fine here.
/* a block
   comment, ** with stars **/
/// Documents the dimension: π is about 3.
///   Indented by two, then an empty line:
///
/// and the last.
dim N in 1..=65_536;
//// four slashes are an ordinary comment
/**/
/// An ordinary comment may stand between.
// like this
fn decimals(x) = 0 + 7 + 1_000_000 + 9223372036854775807;
fn hexadecimals(x) = 0x0 + 0xFF + 0Xdead_BEEF + 0x7fff_ffff_ffff_ffff;
fn floats(x) = 1.0 + 0.5 + 1e-5 + 2.5E+3 + 1_0.2_5 + 1e0 + 4.9406564584124654e-324 + inf + nan + -inf;
fn truths(x) = true || false;
fn close_together(x)=x*-x--x!=!x&&x<-x||x>=x**-x;
/** not documentation */ fn shifts(x) = x<<1>>2;
fn _under(_a, a1_) = _a * a1_; /// trailing: documents the next
fn documented(infinity, nano, importer, f32x, ifs) = infinity + nano + importer + f32x + ifs;
option math = exact;	// tabs	and carriage returns are white space
require N > 0, "\"quotes\", \\ and\ttabs, and é\n";
