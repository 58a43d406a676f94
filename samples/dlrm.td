/// DLRM's interaction (Naumov et al. 2019, arXiv:1906.00091): of each sample the dense features, the sums of its bags of
/// embeddings (one bag a table), and the products of all pairs among them. left and right name the P pairs.
import "index";

export fn interact(dense: bf16[B, D], table: bf16[F, V, D], ids: i32[B, F, L], left: i32[P], right: i32[P])
        -> (y: bf16[B, D + P]) {
    assume 0 <= ids[b, f, l] && ids[b, f, l] < V;
    assume 0 <= left[p] && left[p] <= F;
    assume 0 <= right[p] && right[p] <= F;
    // Row 0 of z is dense, row f + 1 the bag of table f.
    let bag: bf16[b, f, d] = sum[l](table[f, ids[b, f, l], d]);
    let z[b, r in F + 1, d] = if r == 0 then dense[b, d] else bag[b, r - 1, d];
    y[b, d in D] = dense[b, d];
    y[b, D + p] = sum[d](z[b, left[p], d] * z[b, right[p], d]);
}

check interact(B = 1, D = 1, F = 1, V = 1, L = 1, P = 1);
check interact(B = 5, D = 17, F = 3, V = 50, L = 4, P = 6);
bench interact(B = 2048, D = 128, F = 26, V = 100000, L = 1, P = 351);
