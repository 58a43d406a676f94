// Convolutions and pooling. Strides, paddings and dilations are static; sizes may be symbolic, and the size of a result
// is PyTorch's. Products and sums are in acc(T), which is also the type of results; maxima keep their type. A filter
// that does not fit gives an empty result or is refused.

// ---- convolution ----

/// Convolution along one axis, channels first, torch.nn.functional.conv1d; group g of C channels gives channels g*K..:
/// y[n, o, p] = act(b[o] + sum over c, r of x[n, o/K*C + c, p*stride + r*dilation - padding] w[o, c, r]), x 0 outside.
fn conv1d<T, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, L], w: T[groups*K, C, R], b: T[groups*K] = 0)
        -> (y: acc(T)[N, groups*K, (L + 2*padding - dilation*(R - 1) - 1)/stride + 1]) {
    y[n, o, p] = act(b[o] + sum[c, r](
        pad(x[n, o/K*C + c, p*stride + r*dilation - padding], 0)*w[o, c, r]));
}

/// Convolution along two axes, channels first, torch.nn.functional.conv2d; stride, padding and dilation are those of
/// both axes where no _w is given. The channels are `groups` groups of C, each of which gives K:
/// y[n, o, p, q] = act(b[o] + sum over c, r, s of x[n, o/K*C + c, p*stride + r*dilation - padding, ...] w[o, c, r, s]).
fn conv2d<T, stride: int = 1, stride_w: int = stride, padding: int = 0, padding_w: int = padding,
        dilation: int = 1, dilation_w: int = dilation,
        groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, H, W], w: T[groups*K, C, R, S], b: T[groups*K] = 0)
        -> (y: acc(T)[N, groups*K, (H + 2*padding - dilation*(R - 1) - 1)/stride + 1,
                       (W + 2*padding_w - dilation_w*(S - 1) - 1)/stride_w + 1]) {
    y[n, o, p, q] = act(b[o] + sum[c, r, s](
        pad(x[n, o/K*C + c, p*stride + r*dilation - padding,
              q*stride_w + s*dilation_w - padding_w], 0)*w[o, c, r, s]));
}

/// Convolution along three axes, channels first, torch.nn.functional.conv3d; as conv2d.
fn conv3d<T, stride: int = 1, stride_h: int = stride, stride_w: int = stride, padding: int = 0,
        padding_h: int = padding, padding_w: int = padding, dilation: int = 1, dilation_h: int = dilation,
        dilation_w: int = dilation, groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, D, H, W], w: T[groups*K, C, R, S, U], b: T[groups*K] = 0)
        -> (y: acc(T)[N, groups*K, (D + 2*padding - dilation*(R - 1) - 1)/stride + 1,
                       (H + 2*padding_h - dilation_h*(S - 1) - 1)/stride_h + 1,
                       (W + 2*padding_w - dilation_w*(U - 1) - 1)/stride_w + 1]) {
    y[n, o, p, q, t] = act(b[o] + sum[c, r, s, u](
        pad(x[n, o/K*C + c, p*stride + r*dilation - padding,
              q*stride_h + s*dilation_h - padding_h,
              t*stride_w + u*dilation_w - padding_w], 0)*w[o, c, r, s, u]));
}

/// conv1d with channels last: x: T[N, L, C], w: T[K, R, C], y: T[N, P, K].
fn conv1d_nlc<T, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1, act: fn = identity>
        (x: T[N, L, groups*C], w: T[groups*K, R, C], b: T[groups*K] = 0)
        -> (y: acc(T)[N, (L + 2*padding - dilation*(R - 1) - 1)/stride + 1, groups*K]) {
    y[n, p, o] = act(b[o] + sum[r, c](
        pad(x[n, p*stride + r*dilation - padding,
              o/K*C + c], 0)*w[o, r, c]));
}

/// conv2d with channels last: x: T[N, H, W, C], w: T[K, R, S, C], y: T[N, P, Q, K] (torch's channels_last memory).
fn conv2d_nhwc<T, stride: int = 1, stride_w: int = stride, padding: int = 0, padding_w: int = padding,
        dilation: int = 1, dilation_w: int = dilation,
        groups: int = 1, act: fn = identity>
        (x: T[N, H, W, groups*C], w: T[groups*K, R, S, C], b: T[groups*K] = 0)
        -> (y: acc(T)[N, (H + 2*padding - dilation*(R - 1) - 1)/stride + 1,
                       (W + 2*padding_w - dilation_w*(S - 1) - 1)/stride_w + 1, groups*K]) {
    y[n, p, q, o] = act(b[o] + sum[r, s, c](
        pad(x[n, p*stride + r*dilation - padding,
              q*stride_w + s*dilation_w - padding_w,
              o/K*C + c], 0)*w[o, r, s, c]));
}

/// conv3d with channels last.
fn conv3d_ndhwc<T, stride: int = 1, stride_h: int = stride, stride_w: int = stride, padding: int = 0,
        padding_h: int = padding, padding_w: int = padding, dilation: int = 1, dilation_h: int = dilation,
        dilation_w: int = dilation, groups: int = 1, act: fn = identity>
        (x: T[N, D, H, W, groups*C], w: T[groups*K, R, S, U, C], b: T[groups*K] = 0)
        -> (y: acc(T)[N, (D + 2*padding - dilation*(R - 1) - 1)/stride + 1,
                       (H + 2*padding_h - dilation_h*(S - 1) - 1)/stride_h + 1,
                       (W + 2*padding_w - dilation_w*(U - 1) - 1)/stride_w + 1, groups*K]) {
    y[n, p, q, t, o] = act(b[o] + sum[r, s, u, c](
        pad(x[n, p*stride + r*dilation - padding,
              q*stride_h + s*dilation_h - padding_h,
              t*stride_w + u*dilation_w - padding_w,
              o/K*C + c], 0)*w[o, r, s, u, c]));
}

/// Each channel convolved with M filters of its own, torch.nn.functional.conv1d(x, w, groups = C):
/// y[n, c*M + m, ...] = act(b + sum over r of x[n, c, ...] w[c*M + m, 0, r]).
fn depthwise_conv1d<T, stride: int = 1, padding: int = 0, dilation: int = 1, act: fn = identity>
        (x: T[N, C, L], w: T[C*M, 1, R], b: T[C*M] = 0)
        -> (y: acc(T)[N, C*M, (L + 2*padding - dilation*(R - 1) - 1)/stride + 1]) {
    y[n, o, p] = act(b[o] + sum[r](
        pad(x[n, o/M, p*stride + r*dilation - padding], 0)*w[o, 0, r]));
}

/// Each channel convolved with M filters of its own, torch.nn.functional.conv2d(x, w, groups = C):
/// y[n, c*M + m, ...] = act(b + sum over r, s of x[n, c, ...] w[c*M + m, 0, r, s]).
fn depthwise_conv2d<T, stride: int = 1, stride_w: int = stride,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation, act: fn = identity>
        (x: T[N, C, H, W], w: T[C*M, 1, R, S], b: T[C*M] = 0)
        -> (y: acc(T)[N, C*M, (H + 2*padding - dilation*(R - 1) - 1)/stride + 1,
                       (W + 2*padding_w - dilation_w*(S - 1) - 1)/stride_w + 1]) {
    y[n, o, p, q] = act(b[o] + sum[r, s](
        pad(x[n, o/M, p*stride + r*dilation - padding,
              q*stride_w + s*dilation_w - padding_w], 0)*w[o, 0, r, s]));
}

/// depthwise_conv1d with channels last: x: T[N, L, C], w: T[R, C].
fn depthwise_conv1d_nlc<T, stride: int = 1, padding: int = 0, dilation: int = 1, act: fn = identity>
        (x: T[N, L, C], w: T[R, C], b: T[C] = 0)
        -> (y: acc(T)[N, (L + 2*padding - dilation*(R - 1) - 1)/stride + 1, C]) {
    y[n, p, c] = act(b[c] + sum[r](
        pad(x[n, p*stride + r*dilation - padding, c], 0)*w[r, c]));
}

/// depthwise_conv2d with channels last: x: T[N, H, W, C], w: T[R, S, C].
fn depthwise_conv2d_nhwc<T, stride: int = 1, stride_w: int = stride,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation, act: fn = identity>
        (x: T[N, H, W, C], w: T[R, S, C], b: T[C] = 0)
        -> (y: acc(T)[N, (H + 2*padding - dilation*(R - 1) - 1)/stride + 1,
                       (W + 2*padding_w - dilation_w*(S - 1) - 1)/stride_w + 1, C]) {
    y[n, p, q, c] = act(b[c] + sum[r, s](
        pad(x[n, p*stride + r*dilation - padding,
              q*stride_w + s*dilation_w - padding_w, c], 0)*w[r, s, c]));
}

/// conv2d with as much zero padding as leaves the size, torch's padding = "same": (R - 1)*dilation in all, the smaller
/// half before.
fn conv2d_same<T, dilation: int = 1, dilation_w: int = dilation, groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, H, W], w: T[groups*K, C, R, S], b: T[groups*K] = 0) -> (y: acc(T)[N, groups*K, H, W]) {
    y[n, o, p, q] = act(b[o] + sum[c, r, s](
        pad(x[n, o/K*C + c, p + r*dilation - (R - 1)*dilation/2, q + s*dilation_w - (S - 1)*dilation_w/2], 0)*
        w[o, c, r, s]));
}

/// A convolution with 1 by 1 filters, a product of the channels:
/// y[n, o, ...] = act(b[o] + sum over c of x[n, c, ...] w[o, c]).
fn pointwise_conv<T, act: fn = identity>(x: T[N, C, D...], w: T[K, C], b: T[K] = 0) -> (y: acc(T)[N, K, D...]) {
    y[n, o, d...] = act(b[o] + sum[c](x[n, c, d...]*w[o, c]));
}

/// Convolution along the last axis that sees no later element, one filter a channel, as in Mamba and WaveNet:
/// y[n, c, l] = act(b[c] + sum_r x[n, c, l + r - (R - 1)] w[c, r]), 0 before the start.
fn causal_conv1d<T, act: fn = identity>(x: T[N, C, L], w: T[C, R], b: T[C] = 0) -> (y: acc(T)[N, C, L]) {
    y[n, c, l] = act(b[c] + sum[r](pad(x[n, c, l + r - (R - 1)], 0)*w[c, r]));
}

// ---- transposed convolution, gradients ----

/// Transposed convolution, channels first, torch.nn.functional.conv_transpose1d: element l of x goes to the places
/// l*stride + r*dilation - padding. As a gather: y[n, o, p] =
/// act(b[o] + sum over c, r of x[n, g*C + c, l] w[g*C + c, k, r]) for o = g*K + k, where l =
/// (p + padding - r*dilation)/stride is whole and inside.
fn conv_transpose1d<T, stride: int = 1, padding: int = 0, output_padding: int = 0, dilation: int = 1,
        groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, L], w: T[groups*C, K, R], b: T[groups*K] = 0)
        -> (y: acc(T)[N, groups*K, (L - 1)*stride - 2*padding + dilation*(R - 1) + output_padding + 1]) {
    y[n, o, p] = act(b[o] +
        sum[c in 0..C, r where (p + padding - r*dilation)%stride == 0](
            pad(x[n, o/K*C + c, (p + padding - r*dilation)/stride], 0)*w[o/K*C + c, o%K, r]));
}

/// Transposed convolution along two axes, channels first, torch.nn.functional.conv_transpose2d; as conv_transpose1d.
fn conv_transpose2d<T, stride: int = 1, stride_w: int = stride, padding: int = 0, padding_w: int = padding,
        output_padding: int = 0, output_padding_w: int = output_padding, dilation: int = 1,
        dilation_w: int = dilation,
        groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, H, W], w: T[groups*C, K, R, S], b: T[groups*K] = 0)
        -> (y: acc(T)[N, groups*K, (H - 1)*stride - 2*padding + dilation*(R - 1) + output_padding + 1,
                       (W - 1)*stride_w - 2*padding_w + dilation_w*(S - 1) + output_padding_w + 1]) {
    y[n, o, p, q] = act(b[o] +
        sum[c in 0..C, r, s where (p + padding - r*dilation)%stride == 0 &&
            (q + padding_w - s*dilation_w)%stride_w == 0](
            pad(x[n, o/K*C + c, (p + padding - r*dilation)/stride,
                      (q + padding_w - s*dilation_w)/stride_w], 0)*w[o/K*C + c, o%K, r, s]));
}

/// Transposed convolution along three axes, channels first, torch.nn.functional.conv_transpose3d; as conv_transpose1d.
fn conv_transpose3d<T, stride: int = 1, stride_h: int = stride, stride_w: int = stride, padding: int = 0,
        padding_h: int = padding, padding_w: int = padding, output_padding: int = 0,
        output_padding_h: int = output_padding, output_padding_w: int = output_padding, dilation: int = 1,
        dilation_h: int = dilation, dilation_w: int = dilation,
        groups: int = 1, act: fn = identity>
        (x: T[N, groups*C, D, H, W], w: T[groups*C, K, R, S, U], b: T[groups*K] = 0)
        -> (y: acc(T)[N, groups*K, (D - 1)*stride - 2*padding + dilation*(R - 1) + output_padding + 1,
                       (H - 1)*stride_h - 2*padding_h + dilation_h*(S - 1) + output_padding_h + 1,
                       (W - 1)*stride_w - 2*padding_w + dilation_w*(U - 1) + output_padding_w + 1]) {
    y[n, o, p, q, t] = act(b[o] +
        sum[c in 0..C, r, s, u where (p + padding - r*dilation)%stride == 0 &&
            (q + padding_h - s*dilation_h)%stride_h == 0 &&
            (t + padding_w - u*dilation_w)%stride_w == 0](
            pad(x[n, o/K*C + c, (p + padding - r*dilation)/stride,
                      (q + padding_h - s*dilation_h)/stride_h,
                      (t + padding_w - u*dilation_w)/stride_w], 0)*w[o/K*C + c, o%K, r, s, u]));
}

/// The gradient of conv2d with respect to x, torch.nn.grad.conv2d_input. H and W by name: the size of x.
fn conv2d_grad_input<T, stride: int = 1, stride_w: int = stride, padding: int = 0, padding_w: int = padding,
        dilation: int = 1, dilation_w: int = dilation,
        groups: int = 1>(dy: T[N, groups*K, P, Q], w: T[groups*K, C, R, S]) -> (dx: acc(T)[N, groups*C, H, W]) {
    dx[n, i, h, v] =
        sum[k in 0..K, r, s where (h + padding - r*dilation)%stride == 0 &&
            (v + padding_w - s*dilation_w)%stride_w == 0](
            pad(dy[n, i/C*K + k, (h + padding - r*dilation)/stride, (v + padding_w - s*dilation_w)/stride_w], 0)*
            w[i/C*K + k, i%C, r, s]);
}

/// The gradient of conv2d with respect to w, torch.nn.grad.conv2d_weight. R and S by name: the size of the filter.
fn conv2d_grad_weight<T, stride: int = 1, stride_w: int = stride, padding: int = 0, padding_w: int = padding,
        dilation: int = 1, dilation_w: int = dilation,
        groups: int = 1>(x: T[N, groups*C, H, W], dy: T[N, groups*K, P, Q]) -> (dw: acc(T)[groups*K, C, R, S]) {
    dw[o, c, r, s] = sum[n, p, q](
        pad(x[n, o/K*C + c, p*stride + r*dilation - padding, q*stride_w + s*dilation_w - padding_w], 0)*dy[n, o, p, q]);
}

/// The windows of conv2d as columns, torch.nn.functional.unfold: y[n, (c*kernel + r)*kernel_w + s, p*Q + q] =
/// x[n, c, p*stride + r*dilation - padding, ...], 0 outside; Q windows a row.
fn im2col<T, kernel: int, kernel_w: int = kernel, stride: int = 1, stride_w: int = stride,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation>
        (x: T[N, C, H, W])
        -> (y: T[N, C*(kernel*kernel_w), ((H + 2*padding - dilation*(kernel - 1) - 1)/stride + 1)*
                                         ((W + 2*padding_w - dilation_w*(kernel_w - 1) - 1)/stride_w + 1)]) {
    let z = _im2col_windows(x, kernel = kernel, kernel_w = kernel_w, stride = stride, stride_w = stride_w,
                           padding = padding, padding_w = padding_w, dilation = dilation, dilation_w = dilation_w);
    y = _flat_windows(z);
}

fn _im2col_windows<T, kernel: int, kernel_w: int = kernel, stride: int = 1, stride_w: int = stride,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation>
        (x: T[N, C, H, W])
        -> (y: T[N, C, kernel*kernel_w, (H + 2*padding - dilation*(kernel - 1) - 1)/stride + 1,
                 (W + 2*padding_w - dilation_w*(kernel_w - 1) - 1)/stride_w + 1]) {
    y[n, c, k, p, q] = pad(x[n, c, p*stride + k/kernel_w*dilation - padding,
                             q*stride_w + k%kernel_w*dilation_w - padding_w], 0);
}

fn _flat_windows<T>(z: T[N, C, K, P, Q]) -> (y: T[N, C*K, P*Q]) {
    y[n, k, l] = z[n, k/K, k%K, l/Q, l%Q];
}

// ---- pooling ----

// How many windows an axis of n elements has: rounded down, or up, where the last window begins before the end of x.
fn _pooled(n: int, k: int, stride: int, padding: int, dilation: int, up: bool) =
    if up then min((n + 2*padding - dilation*(k - 1) - 1 + stride - 1)/stride, (n + padding - 1)/stride) + 1
    else (n + 2*padding - dilation*(k - 1) - 1)/stride + 1;

/// The largest element of each window, -inf outside of x, torch.nn.functional.max_pool1d; NaN wins. Floats.
fn max_pool1d<T, kernel: int, stride: int = kernel, padding: int = 0, dilation: int = 1,
        ceil_mode: bool = false>(x: T[B..., L])
        -> (y: T[B..., _pooled(L, kernel, stride, padding, dilation, ceil_mode)]) {
    y[b..., p] = max[r in 0..kernel](
        pad(x[b..., p*stride + r*dilation - padding], -inf));
}

/// The largest element of each window of two axes, torch.nn.functional.max_pool2d; as max_pool1d.
fn max_pool2d<T, kernel: int, kernel_w: int = kernel, stride: int = kernel, stride_w: int = kernel_w,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation,
        ceil_mode: bool = false>(x: T[B..., H, W])
        -> (y: T[B..., _pooled(H, kernel, stride, padding, dilation, ceil_mode),
                 _pooled(W, kernel_w, stride_w, padding_w, dilation_w, ceil_mode)]) {
    y[b..., p, q] = max[r in 0..kernel, s in 0..kernel_w](
        pad(x[b..., p*stride + r*dilation - padding,
              q*stride_w + s*dilation_w - padding_w], -inf));
}

/// The largest element of each window of three axes, torch.nn.functional.max_pool3d; as max_pool1d.
fn max_pool3d<T, kernel: int, kernel_h: int = kernel, kernel_w: int = kernel, stride: int = kernel,
        stride_h: int = kernel_h, stride_w: int = kernel_w, padding: int = 0, padding_h: int = padding,
        padding_w: int = padding, dilation: int = 1, dilation_h: int = dilation, dilation_w: int = dilation,
        ceil_mode: bool = false>(x: T[B..., D, H, W])
        -> (y: T[B..., _pooled(D, kernel, stride, padding, dilation, ceil_mode),
                 _pooled(H, kernel_h, stride_h, padding_h, dilation_h, ceil_mode),
                 _pooled(W, kernel_w, stride_w, padding_w, dilation_w, ceil_mode)]) {
    y[b..., p, q, t] = max[r in 0..kernel, s in 0..kernel_h, u in 0..kernel_w](
        pad(x[b..., p*stride + r*dilation - padding,
              q*stride_h + s*dilation_h - padding_h,
              t*stride_w + u*dilation_w - padding_w], -inf));
}

/// max_pool2d and the places of the maxima, h*W + w, the first on ties: torch's return_indices = True.
fn max_pool2d_indices<T, kernel: int, kernel_w: int = kernel, stride: int = kernel, stride_w: int = kernel_w,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation,
        ceil_mode: bool = false>(x: T[B..., H, W])
        -> (y: T[B..., _pooled(H, kernel, stride, padding, dilation, ceil_mode),
                 _pooled(W, kernel_w, stride_w, padding_w, dilation_w, ceil_mode)],
            ids: i64[B..., _pooled(H, kernel, stride, padding, dilation, ceil_mode),
                      _pooled(W, kernel_w, stride_w, padding_w, dilation_w, ceil_mode)]) {
    let at = _window_argmax(x, kernel = kernel, kernel_w = kernel_w, stride = stride, stride_w = stride_w,
                           padding = padding, padding_w = padding_w, dilation = dilation, dilation_w = dilation_w,
                           P = _pooled(H, kernel, stride, padding, dilation, ceil_mode),
                           Q = _pooled(W, kernel_w, stride_w, padding_w, dilation_w, ceil_mode));
    y = max_pool2d(x, kernel = kernel, kernel_w = kernel_w, stride = stride, stride_w = stride_w, padding = padding,
                   padding_w = padding_w, dilation = dilation, dilation_w = dilation_w, ceil_mode = ceil_mode);
    ids[b..., p, q] = (p*stride + at[b..., p, q]/kernel_w*dilation - padding)*W +
                      q*stride_w + at[b..., p, q]%kernel_w*dilation_w - padding_w;
}

// Which element of each window, counted along its rows, is the largest of those inside of x.
fn _window_argmax<T, kernel: int, kernel_w: int = kernel, stride: int = kernel, stride_w: int = kernel_w,
        padding: int = 0, padding_w: int = padding, dilation: int = 1, dilation_w: int = dilation>
        (x: T[B..., H, W]) -> (y: i64[B..., P, Q]) {
    y[b..., p, q] = argmax[k in 0..kernel*kernel_w
        where 0 <= p*stride + k/kernel_w*dilation - padding && p*stride + k/kernel_w*dilation - padding < H &&
              0 <= q*stride_w + k%kernel_w*dilation_w - padding_w &&
              q*stride_w + k%kernel_w*dilation_w - padding_w < W](
        x[b..., p*stride + k/kernel_w*dilation - padding, q*stride_w + k%kernel_w*dilation_w - padding_w]);
}

/// Each x[..., p, q] at place ids[..., p, q] of an H by W image, 0 elsewhere; the last on ties: max_unpool2d of torch.
/// 0 <= ids < H*W. H and W by name.
fn max_unpool2d<T, I>(x: T[B..., P, Q], ids: I[B..., P, Q]) -> (y: T[B..., H, W]) {
    let last = _unpool_writer(ids, L = H*W);
    let at[b..., h in H, w in W] = last[b..., h*W + w];
    y[b..., h, w] = if at[b..., h, w] >= 0 then pad(x[b..., at[b..., h, w]/Q, at[b..., h, w]%Q], 0) else T(0);
}

fn _unpool_writer<I>(ids: I[B..., P, Q]) -> (y: i64[B..., L]) {
    assume 0 <= ids[b..., p, q] && ids[b..., p, q] < L;
    y[b..., ids[b..., p, q]] max= p*Q + q;
}

// How many elements of window p lie in the padded axis (in x itself where not `all`).
fn _window_count(p: int, n: int, k: int, stride: int, padding: int, all: bool) =
    if all then min(p*stride + k, n + 2*padding) - p*stride
    else min(p*stride - padding + k, n) - max(p*stride - padding, 0);

/// The mean of each window, torch.nn.functional.avg_pool1d: its sum over the number of its elements, which counts the
/// padding unless count_include_pad = false.
fn avg_pool1d<T, kernel: int, stride: int = kernel, padding: int = 0, ceil_mode: bool = false,
        count_include_pad: bool = true>(x: T[B..., L])
        -> (y: acc(T)[B..., _pooled(L, kernel, stride, padding, 1, ceil_mode)]) {
    y[b..., p] = sum[r in 0..kernel](
        pad(x[b..., p*stride + r - padding], 0))/acc(T)(
        _window_count(p, L, kernel, stride, padding, count_include_pad));
}

/// The mean of each window of two axes, torch.nn.functional.avg_pool2d; as avg_pool1d.
fn avg_pool2d<T, kernel: int, kernel_w: int = kernel, stride: int = kernel, stride_w: int = kernel_w,
        padding: int = 0, padding_w: int = padding, ceil_mode: bool = false,
        count_include_pad: bool = true>(x: T[B..., H, W])
        -> (y: acc(T)[B..., _pooled(H, kernel, stride, padding, 1, ceil_mode),
                      _pooled(W, kernel_w, stride_w, padding_w, 1, ceil_mode)]) {
    y[b..., p, q] = sum[r in 0..kernel, s in 0..kernel_w](
        pad(x[b..., p*stride + r - padding,
              q*stride_w + s - padding_w], 0))/acc(T)(
        _window_count(p, H, kernel, stride, padding, count_include_pad)*
        _window_count(q, W, kernel_w, stride_w, padding_w, count_include_pad));
}

/// The mean of each window of three axes, torch.nn.functional.avg_pool3d; as avg_pool1d.
fn avg_pool3d<T, kernel: int, kernel_h: int = kernel, kernel_w: int = kernel, stride: int = kernel,
        stride_h: int = kernel_h, stride_w: int = kernel_w, padding: int = 0, padding_h: int = padding,
        padding_w: int = padding, ceil_mode: bool = false,
        count_include_pad: bool = true>(x: T[B..., D, H, W])
        -> (y: acc(T)[B..., _pooled(D, kernel, stride, padding, 1, ceil_mode),
                      _pooled(H, kernel_h, stride_h, padding_h, 1, ceil_mode),
                      _pooled(W, kernel_w, stride_w, padding_w, 1, ceil_mode)]) {
    y[b..., p, q, t] = sum[r in 0..kernel, s in 0..kernel_h, u in 0..kernel_w](
        pad(x[b..., p*stride + r - padding,
              q*stride_h + s - padding_h,
              t*stride_w + u - padding_w], 0))/acc(T)(
        _window_count(p, D, kernel, stride, padding, count_include_pad)*
        _window_count(q, H, kernel_h, stride_h, padding_h, count_include_pad)*
        _window_count(t, W, kernel_w, stride_w, padding_w, count_include_pad));
}

/// (sum over each window of |x|^norm)^(1/norm), torch.nn.functional.lp_pool2d (which does not take the absolute value).
fn lp_pool2d<T, norm: int, kernel: int, kernel_w: int = kernel, stride: int = kernel, stride_w: int = kernel_w>
        (x: T[B..., H, W])
        -> (y: acc(T)[B..., _pooled(H, kernel, stride, 0, 1, false), _pooled(W, kernel_w, stride_w, 0, 1, false)]) {
    y[b..., p, q] = sum[r in 0..kernel, s in 0..kernel_w](
        abs(x[b..., p*stride + r, q*stride_w + s])**norm)**(1/acc(T)(norm));
}

/// The mean over all axes after the channels: x.mean((2, 3)), adaptive_avg_pool to one element.
fn global_avg_pool<T>(x: T[N, C, D...]) -> (y: acc(T)[N, C]) {
    y[n, c] = mean[d...](x[n, c, d...]);
}

/// The largest over all axes after the channels.
fn global_max_pool<T>(x: T[N, C, D...]) -> (y: T[N, C]) {
    y[n, c] = max[d...](x[n, c, d...]);
}

/// global_avg_pool with channels last.
fn global_avg_pool_nhwc<T>(x: T[N, D..., C]) -> (y: acc(T)[N, C]) {
    y[n, c] = mean[d...](x[n, d..., c]);
}

/// The mean of each of P windows, from p*L/P rounded down to (p + 1)*L/P rounded up:
/// torch.nn.functional.adaptive_avg_pool1d. P by name.
fn adaptive_avg_pool1d<T>(x: T[B..., L]) -> (y: acc(T)[B..., P]) {
    y[b..., p] = mean[l in p*L/P..((p + 1)*L + P - 1)/P](x[b..., l]);
}

/// adaptive_avg_pool1d in two axes, P by Q windows. P and Q by name.
fn adaptive_avg_pool2d<T>(x: T[B..., H, W]) -> (y: acc(T)[B..., P, Q]) {
    y[b..., p, q] = mean[h in p*H/P..((p + 1)*H + P - 1)/P, w in q*W/Q..((q + 1)*W + Q - 1)/Q](x[b..., h, w]);
}

/// adaptive_avg_pool1d in three axes. P, Q and R by name.
fn adaptive_avg_pool3d<T>(x: T[B..., D, H, W]) -> (y: acc(T)[B..., P, Q, R]) {
    y[b..., p, q, r] = mean[d in p*D/P..((p + 1)*D + P - 1)/P, h in q*H/Q..((q + 1)*H + Q - 1)/Q,
                            w in r*W/R..((r + 1)*W + R - 1)/R](
        x[b..., d, h, w]);
}

/// The largest element of the windows of adaptive_avg_pool1d: torch.nn.functional.adaptive_max_pool1d. P by name.
fn adaptive_max_pool1d<T>(x: T[B..., L]) -> (y: T[B..., P]) {
    y[b..., p] = max[l in p*L/P..((p + 1)*L + P - 1)/P](x[b..., l]);
}

/// The largest element of the windows of adaptive_avg_pool2d: torch.nn.functional.adaptive_max_pool2d. P and Q by name.
fn adaptive_max_pool2d<T>(x: T[B..., H, W]) -> (y: T[B..., P, Q]) {
    y[b..., p, q] = max[h in p*H/P..((p + 1)*H + P - 1)/P, w in q*W/Q..((q + 1)*W + Q - 1)/Q](x[b..., h, w]);
}
