// Functions of stdlib/index.td as kernels: subscripts that are loaded, pieces, cases in subscripts, scatters.
import "index";

export rows = gather_rows(T = f16, I = i32, B = [M]); // the row differs from element to element of a vector
export bag = embedding_bag_mean(T = f16, I = i32, J = i64);
export put = scatter(T = bf16, I = i32, B = [M]);
export segments = segment_mean(T = f16, I = i32);
export chosen = masked_select(T = f32);
export joined = concat3(T = f16, B = [P]);
export beside = diag(T = f16, B = [M], k = -1);
export below = diagonal(T = f16, B = [], k = -2);
export cut = pad2d(T = f16, B = [M], left = 1, right = -2, top = 3);
export mirror = reflect_pad1d(T = f16, B = [M], left = 3, right = 1);
export turned = permute4(T = f16, p0 = 0, p1 = 2, p2 = 3, p3 = 1);
export between = resize_bilinear2d(T = f16, B = [M], align_corners = true);
export mixed = channel_shuffle(T = f16, g = 4);
export places = pack_places();
export padded = unpack(T = f16, I = i32, D = [D]);

check rows(M = 2, N = 9, D = 19, K = 5);
check bag(V = 7, D = 5, L = 30, B = 6);
check put(M = 3, N = 9, K = 6);
check segments(K = 41, N = 5, D = 3);
check chosen(N = 300);
check joined(P = 2, M = 3, N = 5, K = 8);
check beside(M = 2, N = 9);
check below(M = 12, N = 8);
check cut(M = 2, H = 5, W = 9);
check mirror(M = 2, N = 4);
check turned(A = 2, B = 5, C = 3, D = 4);
check between(M = 2, H = 3, W = 4, P = 5, Q = 7);
check mixed(N = 2, K = 3, H = 2, W = 5);
check places(B = 3, S = 40, P = 100);
check padded(P = 20, D = 3, B = 4, S = 9);
