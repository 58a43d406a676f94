// Mixed radix numbers whose digits have sums as sizes, and digits that are lets.

export fn im2col(x: f32[N, C, H, W], R: int, S: int) -> (col: f32[C*R*S, N*(H - R + 1)*(W - S + 1)]) {
    require R >= 1 && S >= 1 && R <= H && S <= W;
    col[k, m] = x[m / (W - S + 1) / (H - R + 1), k / S / R, m / (W - S + 1) % (H - R + 1) + k / S % R, m % (W - S + 1) + k % S];
}
check im2col(N = 2, C = 3, H = 5, W = 6, R = 2, S = 3);
check im2col(N = 1, C = 1, H = 5, W = 6, R = 5, S = 6);

// Windows of a shifted image, and back.
export fn window(x: f32[B, H, W, C], ws: int, shift: int) -> (y: f32[B*(H/ws)*(W/ws), ws*ws, C]) {
    require ws >= 1 && H % ws == 0 && W % ws == 0;
    y[b, t, c] = x[b / ((H/ws)*(W/ws)), (b / (W/ws) % (H/ws) * ws + t / ws + shift) % H, (b % (W/ws) * ws + t % ws + shift) % W, c];
}
check window(B = 2, H = 6, W = 9, C = 4, ws = 3, shift = 1);

export fn unwindow(y: f32[B*NH*NW, ws*ws, C], B: int, NH: int, NW: int, ws: int, shift: int) -> (x: f32[B, NH*ws, NW*ws, C]) {
    require ws >= 1 && NH >= 1 && NW >= 1;
    let r[h in NH*ws] = (h + NH*ws - shift) % (NH*ws);
    let s[w in NW*ws] = (w + NW*ws - shift) % (NW*ws);
    x[b, h, w, c] = y[(b*NH + r[h] / ws)*NW + s[w] / ws, r[h] % ws * ws + s[w] % ws, c];
}
check unwindow(B = 2, NH = 2, NW = 3, C = 4, ws = 3, shift = 1);
