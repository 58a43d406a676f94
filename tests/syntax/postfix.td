// One postfix form for loads, casts, calls, instances and reductions.
fn forms(x, w, ids, K) {
    let load[i, j] = x[i, j];
    let gather[n, d] = w[ids[n], d] + w[ids[n + 1] * 2, d % 4];
    let rank0[i] = loss[] + x[i];
    let slice = w[l, ...];
    let leading = w[..., l];
    let cast[i] = f32(x[i]) + bf16(x[i] + 1) + i32(x[i]) + bool(x[i]) + f8e4m3(x[i]) + u4(x[i]);
    let call = pool(x, K = 3, stride = (K + 1), act = relu);
    let empty = zeros();
    let nested = g(f(x), h(f(x))[i, j]);
    let after = f(x)[i, j];
    let instance = softmax(T = bf16, B = [M, 2*N], C = []);
    let instance_call = softmax(T = f32)(x);
    let padded[i] = pad(x[i - 1], 0.0) + pad(x[i + 1], -inf);
    let total[i] = sum[k](x[i, k]);
    let two[i] = sum[k, l](x[i, k, l]);
    let packed[b...] = max[n](x[b..., n]);
    let over_pack = sum[b...](x[b...]);
    let ranged[i] = max[r in 0..3, s in lo[i]..hi[i + 1]](x[i, r, s]);
    let extent[i] = sum[k in K](x[i, k]);
    let guarded[i] = sum[k, r in 0..3 where k <= i && r != 1](x[k, r]);
    let computed[i] = sum[k in i + 1..2*i - 1 where x[k] > 0](x[k]);
    let flat_index[b..., n] = x[flat(b..., n)];
    let old[i] = new(p)[i];
    let draw[i] = random(seed, 0, flat(i));
    let literal_pack = f([]);
}
