// Places that are quotients of products of lengths: what is divided is of the index type, since it fits in any case.
import "index";
export fn odd(x: f32[N, 3, H, W]) -> (y: f32[N, 3, P, Q]) { y = resize_bilinear2d(x, P = P, Q = Q); }
check odd(N = 2, H = 8, W = 9, P = 5, Q = 13);
check odd(N = 1, H = 1, W = 1, P = 3, Q = 2);
check odd(N = 1, H = 31, W = 7, P = 1, Q = 1);
check odd(N = 0, H = 3, W = 3, P = 4, Q = 5);
check odd(N = 2, H = 5, W = 40, P = 37, Q = 1000);

// The place decides about the value, too, and where it is read is between two others.
export fn nearest(x: i32[H]) -> (y: i32[P], rest: i64[P]) {
    require H > 0;
    y[p] = x[max(0, min((2*p + 1)*H/(2*P) - 1, H - 1))];
    rest[p] = (2*p + 1)*H%(2*P + 3);
}
check nearest(H = 7, P = 5);
check nearest(H = 1, P = 300);
check nearest(H = 300, P = 1);
