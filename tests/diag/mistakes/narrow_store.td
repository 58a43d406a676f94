export fn count(x: i64[N]) -> (y: i32[]) { y[] = sum[i](x[i]); }
