// Functions of stdlib/attn.td as kernels: guards of a mask, shared heads, caches in pages, packed sequences, rotations.
import "attn";

export shared = attention_lse(T = f16, causal = true, lower_right = true, window = 6);
export turned = attention_bshd(T = bf16, causal = true, R = 2);
export capped = attention_softcap(T = f16, causal = true);
export paged = attention_paged(T = f16, I = i32);
export packed = attention_varlen(T = f32, I = i32, causal = true);
export cached = attention_cached(T = f16, I = i32);
export rotated = rope_partial(T = f16, U = f32, B = [N]);
export buckets = t5_bias(T = f16, bidirectional = false, buckets = 8, max_distance = 20);
export dropped = bias_scale_mask_softmax_dropout(T = f16);

check shared(B = 1, G = 2, R = 3, M = 5, D = 8, N = 9, E = 7, scale = 0.3);
check turned(B = 2, M = 9, G = 2, D = 5, N = 7, E = 5);
check capped(B = 1, G = 2, R = 2, M = 9, D = 8, N = 9, E = 8, cap = 2.0);
check paged(B = 3, G = 2, R = 2, D = 8, P = 7, S = 4, E = 8, C = 3);
check packed(M = 9, G = 1, R = 2, D = 4, N = 11, E = 4, B = 3);
check cached(B = 2, G = 2, R = 2, M = 3, D = 8, L = 12, E = 8);
check rotated(N = 2, S = 7, D = 3, E = 5);
check buckets(H = 3, M = 9, N = 33);
check dropped(B = 2, H = 3, M = 4, N = 9, scale = 0.5, rate = 0.25);
