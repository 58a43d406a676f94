// The morphological gradient of grey images: dilation less erosion, both by 5 x 5.
dim H in 1..;
dim W in 1..;
export fn morph_gradient(x: u8[N, H, W]) -> (y: u8[N, H, W]) {
    let most[n, i in H, j in W] = max[r in 0..5, s in 0..5](pad(x[n, i + r - 2, j + s - 2], 0));
    let least[n, i in H, j in W] = min[r in 0..5, s in 0..5](pad(x[n, i + r - 2, j + s - 2], 255));
    y[n, i, j] = u8(most[n, i, j] - least[n, i, j]);
}
check morph_gradient(N = 2, H = 11, W = 13) with x in 0..256;
bench morph_gradient(N = 32, H = 720, W = 1280) with x in 0..256;
