export fn pack(x: i32[N]) -> (y: u8[N]) { let t: u8[N] = u8(x[n]); y[n] = t[n]; }
