// Dimensions, options, checks and benches, each with every clause, in any order.
dim A;
dim B in 0..16;
dim C in 1..=65536 hint 4096 divisible 8;
dim D divisible 8 hint 4096;
dim E hint (16 * 256) in (A + 1)..=B;
option matmul = f32;
option matmul = bf16;
option atomics = ordered;
option remat;
require A < B, "top level";
assume A > 0;
check f();
check f(M = 37, N = 1021, eps = 1e-5);
check f(M = 37) with t in 0..N, w ~ 0.02, p in 0.0..1.0 tol 1e-3;
check f(M = 37) tol 1e-3 with t in -1..N - 1;
check f(M = 0) error "M is at least 1";
bench f(M = 16384, N = 4096);
bench f(M = 16384) with t in 0..4096;
