// Syntax that docs/language.md excludes.
// clause 1.4, 1.5, 6.1
export fn commas(x: f32[N], y: f32[N],) -> (z: f32[N]) { // expect error[E0200]: 
    z[i] = x[i];
}
export fn chained(x: f32[N]) -> (z: bool[N]) {
    z[i] = 0 < x[i] < 1;                      // expect error[E0203]: 
}
// clause 1.2
export fn reserved(x: f32[N]) -> (where: f32[N]) { // expect error[E0206]: 
    where[i] = x[i];
}
// clause 1.3
export fn numbers(x: f32[N]) -> (z: f32[N]) {
    z[i] = x[i] * .5;                         // expect error[E0105]: 
}
// clause 3.5
dim N hint 3 hint 4;                          // expect error[E0201]: 
// clause 3.10
dim M in 1 + 1..8;                            // expect error[E0200]: 
// clause 1.6
struct Pair { a: f32[N]; b: f32[N]; }         // expect error[E0002]: not yet
