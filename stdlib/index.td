// Moving elements: choosing, joining, cutting, padding, reordering, repeating, packing. No function here rounds: values
// keep their type, and sums are in acc(T). "..." in a type is any number of leading axes; N = 8 in a call gives a size
// that the arguments do not tell.

// ---- gather ----

/// y[..., k] = x[..., ids[..., k]]: torch.gather(x, -1, ids), numpy.take_along_axis(x, ids, -1).
/// x: T[..., N], ids: I[..., K] with 0 <= ids < N.
fn gather<T, I>(x: T[B..., N], ids: I[B..., K]) -> (y: T[B..., K]) {
    assume 0 <= ids[b..., k] && ids[b..., k] < N;
    y[b..., k] = x[b..., ids[b..., k]];
}

/// numpy.take_along_axis(x, ids, -1): another name of gather.
fn take_along<T, I>(x: T[B..., N], ids: I[B..., K]) -> (y: T[B..., K]) {
    y = gather(x, ids);
}

/// y[..., k, d] = x[..., ids[..., k, d], d]: torch.gather(x, -2, ids). x: T[..., N, D], ids: I[..., K, D] with
/// 0 <= ids < N.
fn gather_rows<T, I>(x: T[B..., N, D], ids: I[B..., K, D]) -> (y: T[B..., K, D]) {
    assume 0 <= ids[b..., k, d] && ids[b..., k, d] < N;
    y[b..., k, d] = x[b..., ids[b..., k, d], d];
}

/// y[k, ...] = x[ids[k], ...]: numpy.take(x, ids, 0), torch.index_select(x, 0, ids). 0 <= ids < N.
fn take<T, I>(x: T[N, D...], ids: I[K]) -> (y: T[K, D...]) {
    assume 0 <= ids[k] && ids[k] < N;
    y[k, d...] = x[ids[k], d...];
}

/// y[..., k] = x[..., ids[k]]: numpy.take(x, ids, -1), torch.index_select(x, -1, ids). 0 <= ids < N.
fn take_last<T, I>(x: T[B..., N], ids: I[K]) -> (y: T[B..., K]) {
    assume 0 <= ids[k] && ids[k] < N;
    y[b..., k] = x[b..., ids[k]];
}

/// Rows of a table: y[..., d] = w[ids[...], d], torch.nn.functional.embedding. w: T[V, D], ids: I[...], 0 <= ids < V.
fn embedding<T, I>(w: T[V, D], ids: I[B...]) -> (y: T[B..., D]) {
    assume 0 <= ids[b...] && ids[b...] < V;
    y[b..., d] = w[ids[b...], d];
}

/// Sum of the table's rows of each bag, ids[offsets[b]..offsets[b + 1]]: torch.nn.functional.embedding_bag, mode "sum"
/// with include_last_offset. An empty bag is 0. 0 <= offsets <= L, ascending; 0 <= ids < V.
fn embedding_bag_sum<T, I, J>(w: T[V, D], ids: I[L], offsets: J[B + 1]) -> (y: acc(T)[B, D]) {
    assume 0 <= ids[l] && ids[l] < V;
    assume 0 <= offsets[k] && offsets[k] <= L;
    y[b, d] = sum[l in offsets[b]..offsets[b + 1]](w[ids[l], d]);
}

/// Mean of the table's rows of each bag, as embedding_bag_sum; an empty bag is 0, as in torch.
fn embedding_bag_mean<T, I, J>(w: T[V, D], ids: I[L], offsets: J[B + 1]) -> (y: acc(T)[B, D]) {
    let s = embedding_bag_sum(w, ids, offsets);
    y[b, d] = s[b, d] / acc(T)(max(offsets[b + 1] - offsets[b], 1));
}

/// Element i of a vector, as a tensor of rank 0.
fn element<T>(x: T[N], i: int) -> (y: T[]) {
    require i < N, "the index is out of range";
    y[] = x[i];
}

// ---- scatter ----

/// y[..., n] = sum of src[..., k] over the k with ids[..., k] = n; nothing gives 0. N = the size of the result.
/// 0 <= ids < N.
fn scatter_sum<T, I>(ids: I[B..., K], src: T[B..., K]) -> (y: acc(T)[B..., N]) {
    assume 0 <= ids[b..., k] && ids[b..., k] < N;
    y[b..., ids[b..., k]] += src[b..., k];
}

/// x plus scatter_sum: torch.scatter_add(x, -1, ids, src). x: T[..., N]; ids, src: [..., K]; 0 <= ids < N.
fn scatter_add<T, I>(x: T[B..., N], ids: I[B..., K], src: T[B..., K]) -> (y: acc(T)[B..., N]) {
    let s = scatter_sum(ids, src, N = N);
    y[b..., n] = x[b..., n] + s[b..., n];
}

/// x with x[..., ids[..., k]] replaced by src[..., k], the largest k where several meet: torch.scatter(x, -1, ids,
/// src), numpy.put_along_axis. 0 <= ids < N.
fn scatter<T, I>(x: T[B..., N], ids: I[B..., K], src: T[B..., K]) -> (y: T[B..., N]) {
    let last = _last_writer(ids, N = N);
    y[b..., n] = pad(src[b..., last[b..., n]], x[b..., n]);
}

/// The largest k with ids[..., k] = n, the least i64 where there is none. N = the size of the result. 0 <= ids < N.
fn _last_writer<I>(ids: I[B..., K]) -> (y: i64[B..., N]) {
    assume 0 <= ids[b..., k] && ids[b..., k] < N;
    y[b..., ids[b..., k]] max= k;
}

/// The larger of x[..., n] and all src[..., k] with ids[..., k] = n: torch.scatter_reduce(x, -1, ids, src, "amax").
fn scatter_max<T, I>(x: T[B..., N], ids: I[B..., K], src: T[B..., K]) -> (y: T[B..., N]) {
    let m = _scatter_max(ids, src, N = N);
    y[b..., n] = max(x[b..., n], m[b..., n]);
}

/// The largest src[..., k] with ids[..., k] = n, -inf (the least integer) where there is none. 0 <= ids < N.
fn _scatter_max<T, I>(ids: I[B..., K], src: T[B..., K]) -> (y: T[B..., N]) {
    assume 0 <= ids[b..., k] && ids[b..., k] < N;
    y[b..., ids[b..., k]] max= src[b..., k];
}

/// The smaller of x[..., n] and all src[..., k] with ids[..., k] = n: torch.scatter_reduce(x, -1, ids, src, "amin").
fn scatter_min<T, I>(x: T[B..., N], ids: I[B..., K], src: T[B..., K]) -> (y: T[B..., N]) {
    let m = _scatter_min(ids, src, N = N);
    y[b..., n] = min(x[b..., n], m[b..., n]);
}

/// The smallest src[..., k] with ids[..., k] = n, inf (the largest integer) where there is none. 0 <= ids < N.
fn _scatter_min<T, I>(ids: I[B..., K], src: T[B..., K]) -> (y: T[B..., N]) {
    assume 0 <= ids[b..., k] && ids[b..., k] < N;
    y[b..., ids[b..., k]] min= src[b..., k];
}

/// Sum of the rows of each segment: y[n, d] = sum of x[k, d] over ids[k] = n. N = the number of segments.
/// tf.math.unsorted_segment_sum; the gradient of take. 0 <= ids < N.
fn segment_sum<T, I>(x: T[K, D], ids: I[K]) -> (y: acc(T)[N, D]) {
    assume 0 <= ids[k] && ids[k] < N;
    y[ids[k], d] += x[k, d];
}

/// Mean of the rows of each segment; 0 where a segment is empty. N = the number of segments. 0 <= ids < N.
fn segment_mean<T, I>(x: T[K, D], ids: I[K]) -> (y: acc(T)[N, D]) {
    let s = segment_sum(x, ids, N = N);
    let c = bincount(ids, N = N);
    y[n, d] = s[n, d] / acc(T)(max(c[n], 1));
}

/// Largest element of each column over each segment; -inf where a segment is empty. N = the number of segments.
fn segment_max<T, I>(x: T[K, D], ids: I[K]) -> (y: T[N, D]) {
    assume 0 <= ids[k] && ids[k] < N;
    y[ids[k], d] max= x[k, d];
}

/// x with src[k, d] added to x[ids[k], d]: torch.index_add(x, 0, ids, src). 0 <= ids < N.
fn index_add<T, I>(x: T[N, D], ids: I[K], src: T[K, D]) -> (y: acc(T)[N, D]) {
    let s = segment_sum(src, ids, N = N);
    y[n, d] = x[n, d] + s[n, d];
}

/// x with the rows ids[k] replaced by src[k], the largest k where several meet: torch.index_copy(x, 0, ids, src).
fn index_copy<T, I>(x: T[N, D], ids: I[K], src: T[K, D]) -> (y: T[N, D]) {
    let last = _last_writer(ids, N = N);
    y[n, d] = pad(src[last[n], d], x[n, d]);
}

/// x with the rows ids[k] filled by value: torch.index_fill(x, 0, ids, value). 0 <= ids < N.
fn index_fill<T, I>(x: T[N, D], ids: I[K], value: acc(T) = 0) -> (y: T[N, D]) {
    let last = _last_writer(ids, N = N);
    y[n, d] = if last[n] >= 0 then T(value) else x[n, d];
}

/// How many ids are n: numpy.bincount(ids, minlength = N), torch.bincount. 0 <= ids < N.
fn bincount<I>(ids: I[K]) -> (y: i64[N]) {
    assume 0 <= ids[k] && ids[k] < N;
    y[ids[k]] += i64(1);
}

// ---- choosing ----

/// numpy.where(c, a, b), element by element.
fn select<T>(c: bool[B...], a: T[B...], b: T[B...]) -> (y: T[B...]) {
    y[i...] = if c[i...] then a[i...] else b[i...];
}

/// torch.masked_fill(x, mask, value): value where mask is true.
fn masked_fill<T>(x: T[B...], mask: bool[B...], value: acc(T)) -> (y: T[B...]) {
    y[i...] = if mask[i...] then T(value) else x[i...];
}

/// The indices of the true elements, ascending, -1 after the last; and how many they are: numpy.nonzero of a vector.
fn nonzero(mask: bool[N]) -> (ids: i64[N], count: i64[]) {
    let before[n in N] = sum[m where m < n](i64(mask[m]));
    let at = _last_writer_where(before, mask);
    ids[n] = max(at[n], -1);
    count[] = sum[n](i64(mask[n]));
}

/// The largest k with ids[k] = n and mask[k], the least i64 where there is none; ids outside of 0..K write nothing.
fn _last_writer_where<I>(ids: I[K], mask: bool[K]) -> (y: i64[K]) {
    y[ids[k]] max= k where mask[k] && 0 <= ids[k] && ids[k] < K;
}

/// The true elements of x in order, value after the last: torch.masked_select, at the length of x.
fn masked_select<T>(x: T[N], mask: bool[N], value: acc(T) = 0) -> (y: T[N]) {
    let (ids, _) = nonzero(mask);
    y[n] = pad(x[ids[n]], T(value));
}

/// y[..., n] = 1 where ids[...] = n, else 0: torch.nn.functional.one_hot(ids, N), of type T. N = the number of classes;
/// ids outside of 0..N give a row of zeros.
fn one_hot<T, I>(ids: I[B...]) -> (y: T[B..., N]) {
    y[b..., n] = if i64(ids[b...]) == n then T(1) else T(0);
}

/// How many of the edges, ascending, are below v (below or equal where right): torch.bucketize(v, edges, right),
/// numpy.searchsorted with side "left" ("right").
fn bucketize<T, right: bool = false>(v: T[B...], edges: T[N]) -> (y: i64[B...]) {
    y[b...] = sum[n](i64(if right then edges[n] <= v[b...] else edges[n] < v[b...]));
}

/// Whether v is among the values: numpy.isin(v, values).
fn isin<T>(v: T[B...], values: T[N]) -> (y: bool[B...]) {
    y[b...] = any[n](v[b...] == values[n]);
}

// ---- order ----

/// Rows in order, and where their elements were: torch.sort(x, stable=True), with NaN last.
fn sorted<T>(x: T[B..., N]) -> (y: T[B..., N], ids: i64[B..., N]) {
    (y[b..., r], ids[b..., r]) = sort[n](x[b..., n]);
}

/// The K largest elements of each row, largest first, and where they were: torch.topk(x, K), with NaN last.
fn largest<T>(x: T[B..., N], K: int) -> (y: T[B..., K], ids: i64[B..., K]) {
    (y[b..., r], ids[b..., r]) = topk[n](x[b..., n], K);
}

/// Of each element how many of its row come before it, equal ones in their order: numpy.argsort(numpy.argsort(x)).
fn ranks<T>(x: T[B..., N]) -> (y: i64[B..., N]) {
    let order[b..., r] = argsort[n](x[b..., n]);
    y[b..., r] = argsort[n](order[b..., n]);
}

/// The element in the middle of each row, the mean of two where N is even: numpy.median(x, -1), but for NaN, which comes
/// last. N is at least 1.
fn median<T>(x: T[B..., N]) -> (y: acc(T)[B...]) {
    require N >= 1;
    let (s[b..., r], _) = sort[n](x[b..., n]);
    y[b...] = (acc(T)(s[b..., (N - 1) / 2]) + acc(T)(s[b..., N / 2])) / 2;
}

// ---- making ----

/// start + n*step for n = 0, 1, ...: numpy.arange. N = how many.
fn arange<T>(start: acc(T) = 0, step: acc(T) = 1) -> (y: T[N]) {
    y[n] = start + acc(T)(n) * step;
}

/// N equal steps from start to end, both included: numpy.linspace(start, end, N); N = 1 gives start.
fn linspace<T>(start: acc(T), end: acc(T)) -> (y: T[N]) {
    y[n] = start + (end - start) * acc(T)(n) / acc(T)(max(N - 1, 1));
}

/// Ones on diagonal k (above the main one where k > 0), else zeros: numpy.eye(M, N, k).
fn eye<T, k: int = 0>() -> (y: T[M, N]) {
    y[i, j] = if j == i + k then T(1) else T(0);
}

/// The constant value everywhere: numpy.full. N = the size.
fn full<T>(value: acc(T)) -> (y: T[N]) {
    y[n] = value;
}

// ---- triangles and diagonals ----

/// The lower triangle, zeros above diagonal k: numpy.tril(x, k).
fn tril<T>(x: T[B..., M, N], k: i32 = 0) -> (y: T[B..., M, N]) {
    y[b..., i, j] = if j <= i + k then x[b..., i, j] else T(0);
}

/// The upper triangle, zeros below diagonal k: numpy.triu(x, k).
fn triu<T>(x: T[B..., M, N], k: i32 = 0) -> (y: T[B..., M, N]) {
    y[b..., i, j] = if j >= i + k then x[b..., i, j] else T(0);
}

/// scale*x where j <= i + k, else fill: numpy.tril(x, k)*scale + numpy.triu(full(fill), k + 1), fused_scale_tril.
fn scale_tril<T>(x: T[B..., M, N], k: i32 = 0, scale: acc(T) = 1, fill: acc(T) = 0) -> (y: T[B..., M, N]) {
    y[b..., i, j] = if j <= i + k then x[b..., i, j] * scale else fill;
}

/// Diagonal k of each matrix: torch.diagonal(x, k, -2, -1).
fn diagonal<T, k: int = 0>(x: T[B..., M, N]) -> (y: T[B..., max(min(M + min(k, 0), N - max(k, 0)), 0)]) {
    y[b..., i] = x[b..., i - min(k, 0), i + max(k, 0)];
}

/// The square matrix with x on diagonal k and zeros elsewhere: torch.diag_embed(x, k), numpy.diag of a vector.
fn diag<T, k: int = 0>(x: T[B..., N]) -> (y: T[B..., N + max(k, -k), N + max(k, -k)]) {
    y[b..., i, j] = if j == i + k then x[b..., if k > 0 then i else j] else T(0);
}

// ---- joining and cutting ----

/// a and b joined along the last axis: numpy.concatenate((a, b), -1).
fn concat<T>(a: T[B..., M], b: T[B..., N]) -> (y: T[B..., M + N]) {
    y[p..., i in M] = a[p..., i];
    y[p..., M + i] = b[p..., i];
}

/// Three tensors joined along the last axis.
fn concat3<T>(a: T[B..., M], b: T[B..., N], c: T[B..., K]) -> (y: T[B..., M + N + K]) {
    y[p..., i in M] = a[p..., i];
    y[p..., M + i] = b[p..., i];
    y[p..., M + N + i] = c[p..., i];
}

/// Four tensors joined along the last axis.
fn concat4<T>(a: T[B..., M], b: T[B..., N], c: T[B..., K], d: T[B..., L]) -> (y: T[B..., M + N + K + L]) {
    y[p..., i in M] = a[p..., i];
    y[p..., M + i] = b[p..., i];
    y[p..., M + N + i] = c[p..., i];
    y[p..., M + N + K + i] = d[p..., i];
}

/// a and b joined along the first axis: numpy.concatenate((a, b), 0), vstack.
fn concat_rows<T>(a: T[M, D...], b: T[N, D...]) -> (y: T[M + N, D...]) {
    y[i in M, d...] = a[i, d...];
    y[M + i, d...] = b[i, d...];
}

/// a and b joined along the second axis, the channels of NCHW: torch.cat((a, b), 1).
fn concat_channels<T>(a: T[B, M, D...], b: T[B, N, D...]) -> (y: T[B, M + N, D...]) {
    y[n, i in M, d...] = a[n, i, d...];
    y[n, M + i, d...] = b[n, i, d...];
}

/// a and b side by side on a new first axis: numpy.stack((a, b)).
fn stack<T>(a: T[B...], b: T[B...]) -> (y: T[2, B...]) {
    y[0, p...] = a[p...];
    y[1, p...] = b[p...];
}

/// a and b side by side on a new last axis: numpy.stack((a, b), -1).
fn stack_last<T>(a: T[B...], b: T[B...]) -> (y: T[B..., 2]) {
    y[p..., 0] = a[p...];
    y[p..., 1] = b[p...];
}

/// a0 b0 a1 b1 ... along the last axis.
fn interleave<T>(a: T[B..., N], b: T[B..., N]) -> (y: T[B..., 2*N]) {
    y[p..., 2*i] = a[p..., i];
    y[p..., 2*i + 1] = b[p..., i];
}

/// The even and the odd elements of the last axis: x[..., 0::2], x[..., 1::2].
fn deinterleave<T>(x: T[B..., 2*N]) -> (a: T[B..., N], b: T[B..., N]) {
    a[p..., i] = x[p..., 2*i];
    b[p..., i] = x[p..., 2*i + 1];
}

/// The first M elements of the last axis and the others: numpy.split(x, [M], -1). M by name.
fn split<T>(x: T[B..., M + N]) -> (a: T[B..., M], b: T[B..., N]) {
    a[p..., i] = x[p..., i];
    b[p..., i] = x[p..., M + i];
}

/// The first M rows and the others: numpy.split(x, [M], 0). M by name.
fn split_rows<T>(x: T[M + N, D...]) -> (a: T[M, D...], b: T[N, D...]) {
    a[i, d...] = x[i, d...];
    b[i, d...] = x[M + i, d...];
}

/// Two halves of the last axis: torch.chunk(x, 2, -1).
fn chunk2<T>(x: T[B..., 2*N]) -> (a: T[B..., N], b: T[B..., N]) {
    a[p..., i] = x[p..., i];
    b[p..., i] = x[p..., N + i];
}

/// Three thirds of the last axis, as of a joint projection of queries, keys and values: torch.chunk(x, 3, -1).
fn chunk3<T>(x: T[B..., 3*N]) -> (a: T[B..., N], b: T[B..., N], c: T[B..., N]) {
    a[p..., i] = x[p..., i];
    b[p..., i] = x[p..., N + i];
    c[p..., i] = x[p..., 2*N + i];
}

/// L elements of the last axis from start: x[..., start:start + L], torch.narrow. L by name.
fn narrow<T>(x: T[B..., N], start: int) -> (y: T[B..., L]) {
    require start + L <= N, "the slice ends after the tensor";
    y[b..., i] = x[b..., start + i];
}

/// Every step-th element of the last axis from start: x[..., start::step].
fn slice_step<T, start: int = 0, step: int = 1>(x: T[B..., N]) -> (y: T[B..., max(N - start + step - 1, 0)/step]) {
    y[b..., i] = x[b..., i*step + start];
}

// ---- padding: torch.nn.functional.pad, in its order of arguments ----

/// left and right elements more (fewer where negative) on the last axis, of that value: F.pad(x, (left, right)).
fn pad1d<T, left: int = 0, right: int = left>(x: T[B..., N], value: acc(T) = 0) -> (y: T[B..., N + left + right]) {
    y[b..., i] = pad(x[b..., i - left], T(value));
}

/// The last two axes padded by a constant: F.pad(x, (left, right, top, bottom)); negative widths cut.
fn pad2d<T, left: int = 0, right: int = left, top: int = left, bottom: int = top>(x: T[B..., H, W], value: acc(T) = 0)
        -> (y: T[B..., H + top + bottom, W + left + right]) {
    y[b..., i, j] = pad(x[b..., i - top, j - left], T(value));
}

/// The last three axes padded by a constant: F.pad(x, (left, right, top, bottom, front, back)); negative widths cut.
fn pad3d<T, left: int = 0, right: int = left, top: int = left, bottom: int = top, front: int = left, back: int = front>
        (x: T[B..., D, H, W], value: acc(T) = 0) -> (y: T[B..., D + front + back, H + top + bottom, W + left + right]) {
    y[b..., k, i, j] = pad(x[b..., k - front, i - top, j - left], T(value));
}

fn _reflected(i: int, n: int) = n - 1 - abs(n - 1 - abs(i));

/// The last axis continued by reflection about its ends, which are not repeated: F.pad(x, (left, right), "reflect").
/// left, right < N.
fn reflect_pad1d<T, left: int = 0, right: int = left>(x: T[B..., N]) -> (y: T[B..., N + left + right]) {
    require left < N && right < N, "the padding is as wide as the tensor";
    y[b..., i] = x[b..., _reflected(i - left, N)];
}

/// The last two axes continued by reflection: F.pad(x, (left, right, top, bottom), "reflect").
fn reflect_pad2d<T, left: int = 0, right: int = left, top: int = left, bottom: int = top>(x: T[B..., H, W])
        -> (y: T[B..., H + top + bottom, W + left + right]) {
    require left < W && right < W && top < H && bottom < H, "the padding is as wide as the tensor";
    y[b..., i, j] = x[b..., _reflected(i - top, H), _reflected(j - left, W)];
}

/// The last axis continued by its end elements: F.pad(x, (left, right), "replicate"). N >= 1.
fn replicate_pad1d<T, left: int = 0, right: int = left>(x: T[B..., N]) -> (y: T[B..., N + left + right]) {
    require N >= 1, "nothing to repeat";
    y[b..., i] = x[b..., clamp(i - left, 0, N - 1)];
}

/// The last two axes continued by their end elements: F.pad(x, (left, right, top, bottom), "replicate").
fn replicate_pad2d<T, left: int = 0, right: int = left, top: int = left, bottom: int = top>(x: T[B..., H, W])
        -> (y: T[B..., H + top + bottom, W + left + right]) {
    require H >= 1 && W >= 1, "nothing to repeat";
    y[b..., i, j] = x[b..., clamp(i - top, 0, H - 1), clamp(j - left, 0, W - 1)];
}

/// The last axis continued around: F.pad(x, (left, right), "circular"). N >= 1.
fn circular_pad1d<T, left: int = 0, right: int = left>(x: T[B..., N]) -> (y: T[B..., N + left + right]) {
    require N >= 1, "nothing to repeat";
    y[b..., i] = x[b..., (i - left) % N];
}

/// The last two axes continued around: F.pad(x, (left, right, top, bottom), "circular").
fn circular_pad2d<T, left: int = 0, right: int = left, top: int = left, bottom: int = top>(x: T[B..., H, W])
        -> (y: T[B..., H + top + bottom, W + left + right]) {
    require H >= 1 && W >= 1, "nothing to repeat";
    y[b..., i, j] = x[b..., (i - top) % H, (j - left) % W];
}

// ---- order ----

/// The last two axes exchanged: x.mT, numpy.swapaxes(x, -1, -2).
fn transpose<T>(x: T[B..., M, N]) -> (y: T[B..., N, M]) {
    y[b..., j, i] = x[b..., i, j];
}

fn _pick(p: int, a: int, b: int, c: int, d: int) = if p == 0 then a else if p == 1 then b else if p == 2 then c else d;
fn _find(k: int, p0: int, p1: int, p2: int, p3: int, a: int, b: int, c: int, d: int) =
    if p0 == k then a else if p1 == k then b else if p2 == k then c else d;

/// torch.permute(x, (p0, p1, p2)): axis k of y is axis pk of x.
fn permute3<T, p0: int, p1: int, p2: int>(x: T[A, B, C])
        -> (y: T[_pick(p0, A, B, C, 0), _pick(p1, A, B, C, 0), _pick(p2, A, B, C, 0)]) {
    y[i, j, k] = x[_find(0, p0, p1, p2, 3, i, j, k, 0), _find(1, p0, p1, p2, 3, i, j, k, 0),
                   _find(2, p0, p1, p2, 3, i, j, k, 0)];
}

/// torch.permute(x, (p0, p1, p2, p3)): axis k of y is axis pk of x.
fn permute4<T, p0: int, p1: int, p2: int, p3: int>(x: T[A, B, C, D])
        -> (y: T[_pick(p0, A, B, C, D), _pick(p1, A, B, C, D), _pick(p2, A, B, C, D), _pick(p3, A, B, C, D)]) {
    y[i, j, k, l] = x[_find(0, p0, p1, p2, p3, i, j, k, l), _find(1, p0, p1, p2, p3, i, j, k, l),
                      _find(2, p0, p1, p2, p3, i, j, k, l), _find(3, p0, p1, p2, p3, i, j, k, l)];
}

/// Channels first to channels last: y[n, ..., c] = x[n, c, ...] flat in the other axes, [N, C, P] to [N, P, C].
fn nchw_to_nhwc<T>(x: T[N, C, H, W]) -> (y: T[N, H, W, C]) {
    y[n, h, w, c] = x[n, c, h, w];
}

/// Channels last to channels first.
fn nhwc_to_nchw<T>(x: T[N, H, W, C]) -> (y: T[N, C, H, W]) {
    y[n, c, h, w] = x[n, h, w, c];
}

/// The heads of the last axis before the axis before it: [..., S, H*D] to [..., H, S, D], view and transpose.
/// H by name.
fn split_heads<T>(x: T[B..., S, H*D]) -> (y: T[B..., H, S, D]) {
    y[b..., h, s, d] = x[b..., s, h*D + d];
}

/// The inverse of split_heads: [..., H, S, D] to [..., S, H*D].
fn merge_heads<T>(x: T[B..., H, S, D]) -> (y: T[B..., S, H*D]) {
    y[b..., s, h*D + d] = x[b..., h, s, d];
}

/// The last two axes as one: torch.flatten(x, -2).
fn flatten2<T>(x: T[B..., M, N]) -> (y: T[B..., M*N]) {
    y[b..., i*N + j] = x[b..., i, j];
}

/// The last axis as two, the second of N elements: torch.unflatten(x, -1, (-1, N)). N by name.
fn unflatten<T>(x: T[B..., M*N]) -> (y: T[B..., M, N]) {
    y[b..., i, j] = x[b..., i*N + j];
}

/// The last axis backwards: numpy.flip(x, -1), fliplr of a matrix.
fn flip<T>(x: T[B..., N]) -> (y: T[B..., N]) {
    y[b..., i] = x[b..., N - 1 - i];
}

/// The axis before the last backwards: numpy.flip(x, -2), flipud of a matrix.
fn flip_rows<T>(x: T[B..., M, N]) -> (y: T[B..., M, N]) {
    y[b..., i, j] = x[b..., M - 1 - i, j];
}

/// A quarter turn against the clock: numpy.rot90(x, 1, (-2, -1)).
fn rot90<T>(x: T[B..., M, N]) -> (y: T[B..., N, M]) {
    y[b..., i, j] = x[b..., j, N - 1 - i];
}

/// The last axis moved on by shift places, around the end: numpy.roll(x, shift, -1). shift may be negative.
fn roll<T>(x: T[B..., N], shift: i32) -> (y: T[B..., N]) {
    y[b..., i] = x[b..., (i - shift) % N];
}

/// The last two axes rolled, as shifted windows do: numpy.roll(x, (dy, dx), (-2, -1)).
fn roll2d<T>(x: T[B..., M, N], dy: i32, dx: i32) -> (y: T[B..., M, N]) {
    y[b..., i, j] = x[b..., (i - dy) % M, (j - dx) % N];
}

/// The whole last axis K times: numpy.tile(x, K). K by name.
fn tile<T, K: int>(x: T[B..., N]) -> (y: T[B..., K*N]) {
    y[b..., i] = x[b..., i % N];
}

/// Each element of the last axis K times: numpy.repeat(x, K, -1), torch.repeat_interleave. K by name.
fn repeat<T, K: int>(x: T[B..., N]) -> (y: T[B..., N*K]) {
    y[b..., i] = x[b..., i/K];
}

/// Each row K times, as keys shared by K query heads: torch.repeat_interleave(x, K, 0). K by name.
fn repeat_rows<T, K: int>(x: T[N, D...]) -> (y: T[N*K, D...]) {
    y[i, d...] = x[i/K, d...];
}

/// The same tensor along a new first axis: numpy.broadcast_to(x, (K, ...)). K by name.
fn expand<T>(x: T[B...]) -> (y: T[K, B...]) {
    y[k, b...] = x[b...];
}

// ---- resampling and blocks ----

/// Each element of the last axis scale times: torch.nn.functional.interpolate(x, scale_factor = scale), "nearest".
fn upsample_nearest1d<T, scale: int = 2>(x: T[B..., W]) -> (y: T[B..., scale*W]) {
    y[b..., j] = x[b..., j/scale];
}

/// Each element of the last two axes scale*scale_w times: F.interpolate(x, scale_factor = (scale, scale_w)), "nearest".
fn upsample_nearest2d<T, scale: int = 2, scale_w: int = scale>(x: T[B..., H, W]) -> (y: T[B..., scale*H, scale_w*W]) {
    y[b..., i, j] = x[b..., i/scale, j/scale_w];
}

/// The gradient of upsample_nearest2d: each block of dy summed.
fn upsample_nearest2d_grad<T, scale: int = 2, scale_w: int = scale>(dy: T[B..., scale*H, scale_w*W])
        -> (dx: acc(T)[B..., H, W]) {
    dx[b..., i, j] = sum[u in 0..scale, v in 0..scale_w](dy[b..., i*scale + u, j*scale_w + v]);
}

/// Each element of the last three axes scale^3 times: F.interpolate(x, scale_factor = scale), "nearest".
fn upsample_nearest3d<T, scale: int = 2>(x: T[B..., D, H, W]) -> (y: T[B..., scale*D, scale*H, scale*W]) {
    y[b..., k, i, j] = x[b..., k/scale, i/scale, j/scale];
}

/// The last two axes resampled to P by Q, y[i, j] = x[i*H / P, j*W / Q] rounded down: F.interpolate(x, size = (P, Q)),
/// "nearest". P and Q by name. Exact in integers, where torch multiplies by a rounded scale.
fn resize_nearest2d<T>(x: T[B..., H, W]) -> (y: T[B..., P, Q]) {
    require H >= 1 && W >= 1, "nothing to resample";
    y[b..., i, j] = x[b..., i*H/P, j*W/Q];
}

/// The gradient of resize_nearest2d: dx[h, w] = the sum of dy over the i, j that read x[h, w].
fn resize_nearest2d_grad<T>(dy: T[B..., P, Q]) -> (dx: acc(T)[B..., H, W]) {
    dx[b..., h, w] = sum[i in (h*P + H - 1)/H..((h + 1)*P + H - 1)/H, j in (w*Q + W - 1)/W..((w + 1)*Q + W - 1)/W](
        dy[b..., i, j]);
}

// Sample i of p on an axis of n stands at element _place(...), _rest(...)/_sample_den(...) of the way to the next.
fn _sample_num(corners: bool, i: int, n: int, p: int) = if corners then i*(n - 1) else max((2*i + 1)*n - p, 0);
fn _sample_den(corners: bool, p: int) = if corners then max(p - 1, 1) else 2*p;
fn _place(corners: bool, i: int, n: int, p: int) = min(_sample_num(corners, i, n, p)/_sample_den(corners, p), n - 1);
fn _rest(corners: bool, i: int, n: int, p: int) =
    _sample_num(corners, i, n, p) - _place(corners, i, n, p)*_sample_den(corners, p);

/// The last axis resampled to P elements by straight lines: F.interpolate(x, size = P, mode = "linear"). P by name.
/// Sample i stands at (i + 1/2) W/P - 1/2, not before the first element; at i (W - 1)/(P - 1) where align_corners.
fn resize_linear1d<T, align_corners: bool = false>(x: T[B..., W]) -> (y: acc(T)[B..., P]) {
    require W >= 1, "nothing to resample";
    let f[j in P] = acc(T)(_rest(align_corners, j, W, P))/acc(T)(_sample_den(align_corners, P));
    y[b..., j] = x[b..., _place(align_corners, j, W, P)]*(1 - f[j]) +
                 x[b..., min(_place(align_corners, j, W, P) + 1, W - 1)]*f[j];
}

/// The last two axes resampled to P by Q by straight lines in both: F.interpolate(x, size = (P, Q), mode = "bilinear").
/// P and Q by name.
fn resize_bilinear2d<T, align_corners: bool = false>(x: T[B..., H, W]) -> (y: acc(T)[B..., P, Q]) {
    require H >= 1 && W >= 1, "nothing to resample";
    let f[i in P] = acc(T)(_rest(align_corners, i, H, P))/acc(T)(_sample_den(align_corners, P));
    let t[b..., i in P, w] = x[b..., _place(align_corners, i, H, P), w]*(1 - f[i]) +
                             x[b..., min(_place(align_corners, i, H, P) + 1, H - 1), w]*f[i];
    y = resize_linear1d(t, align_corners = align_corners, P = Q);
}

/// F.interpolate(x, scale_factor = scale, mode = "bilinear"): resize_bilinear2d to scale times the size.
fn upsample_bilinear2d<T, scale: int = 2, align_corners: bool = false>(x: T[B..., H, W])
        -> (y: acc(T)[B..., scale*H, scale*W]) {
    y = resize_bilinear2d(x, align_corners = align_corners, P = scale*H, Q = scale*W);
}

/// x at the points of a grid in -1..1 (x, then y), by straight lines between elements, zero outside:
/// F.grid_sample(x, grid, "bilinear", "zeros", align_corners). x: T[N, C, H, W], grid: T[N, P, Q, 2].
fn grid_sample<T, align_corners: bool = false>(x: T[N, C, H, W], grid: T[N, P, Q, 2]) -> (y: acc(T)[N, C, P, Q]) {
    let u[n, i, j] = if align_corners then (grid[n, i, j, 0] + 1)/2*acc(T)(W - 1)
                     else ((grid[n, i, j, 0] + 1)*acc(T)(W) - 1)/2;
    let v[n, i, j] = if align_corners then (grid[n, i, j, 1] + 1)/2*acc(T)(H - 1)
                     else ((grid[n, i, j, 1] + 1)*acc(T)(H) - 1)/2;
    let u0[n, i, j] = i64(floor(u[n, i, j]));
    let v0[n, i, j] = i64(floor(v[n, i, j]));
    let fu[n, i, j] = u[n, i, j] - floor(u[n, i, j]);
    let fv[n, i, j] = v[n, i, j] - floor(v[n, i, j]);
    y[n, c, i, j] = (pad(x[n, c, v0[n, i, j], u0[n, i, j]], 0)*(1 - fu[n, i, j]) +
                     pad(x[n, c, v0[n, i, j], u0[n, i, j] + 1], 0)*fu[n, i, j])*(1 - fv[n, i, j]) +
                    (pad(x[n, c, v0[n, i, j] + 1, u0[n, i, j]], 0)*(1 - fu[n, i, j]) +
                     pad(x[n, c, v0[n, i, j] + 1, u0[n, i, j] + 1], 0)*fu[n, i, j])*fv[n, i, j];
}

/// [N, C*r*r, H, W] to [N, C, r*H, r*W]: torch.nn.functional.pixel_shuffle(x, r).
fn pixel_shuffle<T, r: int = 2>(x: T[N, C*(r*r), H, W]) -> (y: T[N, C, r*H, r*W]) {
    y[n, c, i, j] = x[n, c*(r*r) + i%r*r + j%r, i/r, j/r];
}

/// The inverse of pixel_shuffle: torch.nn.functional.pixel_unshuffle(x, r).
fn pixel_unshuffle<T, r: int = 2>(x: T[N, C, r*H, r*W]) -> (y: T[N, C*(r*r), H, W]) {
    y[n, c, i, j] = x[n, c/(r*r), i*r + c%(r*r)/r, j*r + c%r];
}

/// The channels of g groups mixed: torch.channel_shuffle(x, g). y[n, k*g + i] = x[n, i*K + k] for groups of K channels.
fn channel_shuffle<T, g: int>(x: T[N, g*K, H, W]) -> (y: T[N, g*K, H, W]) {
    y[n, c, i, j] = x[n, c%g*K + c/g, i, j];
}

/// Windows of M by M positions of an image with channels last: [N, P*M, Q*M, C] to [N, P, Q, M*M, C]. M by name.
fn window_partition<T, M: int>(x: T[N, P*M, Q*M, C]) -> (y: T[N, P, Q, M*M, C]) {
    y[n, p, q, k, c] = x[n, p*M + k/M, q*M + k%M, c];
}

/// The inverse of window_partition.
fn window_reverse<T, M: int>(x: T[N, P, Q, M*M, C]) -> (y: T[N, P*M, Q*M, C]) {
    y[n, i, j, c] = x[n, i/M, j/M, i%M*M + j%M, c];
}

// ---- padded batches, packed ----

/// Where each sequence of a packed batch starts, and where the last one ends: 0, len[0], len[0] + len[1], ...
fn seq_starts<I>(len: I[B]) -> (start: I[B + 1]) {
    start[k] = sum[b in 0..B where b < k](len[b]);
}

/// The lengths and places of a batch's valid elements, mask true: how many each row has, the rows' starts, and for each
/// packed element its place b*S + s in the padded batch, -1 after the last. P by name: at least the number of elements.
fn pack_places(mask: bool[B, S]) -> (len: i32[B], start: i32[B + 1], place: i32[P]) {
    let n[b in B, s in S] = sum[t where t < s](i32(mask[b, t]));
    let l[b in B] = sum[s](i32(mask[b, s]));
    let first[b in B] = sum[c where c < b](l[c]);
    let at = _pack_writers(mask, n, first, P = P);
    len[b] = l[b];
    start = seq_starts(l);
    place[p] = i32(max(at[p], -1));
}

fn _pack_writers(mask: bool[B, S], n: i32[B, S], first: i32[B]) -> (y: i64[P]) {
    y[first[b] + n[b, s]] max= b*S + s where mask[b, s] && 0 <= first[b] + n[b, s] && first[b] + n[b, s] < P;
}

/// The valid elements of a padded batch one after the other: y[p] = x[place[p]/S, place[p]%S], 0 where place is -1.
/// x: T[B, S, ...], place: I[P] as pack_places gives it, -1 <= place < B*S.
fn pack<T, I>(x: T[B, S, D...], place: I[P]) -> (y: T[P, D...]) {
    y[p, d...] = if place[p] >= 0 then pad(x[place[p]/S, place[p]%S, d...], 0) else T(0);
}

/// The padded batch of a packed one: y[b, s] = x[start[b] + s] for s < start[b + 1] - start[b], else 0. S by name.
/// x: T[P, ...], start: I[B + 1] as seq_starts gives it: 0 <= start <= P.
fn unpack<T, I>(x: T[P, D...], start: I[B + 1]) -> (y: T[B, S, D...]) {
    assume 0 <= start[k] && start[k] <= P;
    y[b, s, d...] = if start[b] + s < start[b + 1] then x[start[b] + s, d...] else T(0);
}

/// Whether element s of sequence b is valid: s < len[b]. S by name.
fn length_mask<I>(len: I[B]) -> (y: bool[B, S]) {
    y[b, s] = s < len[b];
}
