// AlexNet's normalisation by the neighbouring channels.
import "norm";
export fn response_norm(x: f32[N, C, H, W]) -> (y: f32[N, C, H, W]) {
    y = local_response_norm(x, R = 5, alpha = 1e-4, beta = 0.75, k = 2);
}
check response_norm(N = 2, C = 11, H = 5, W = 7);
bench response_norm(N = 32, C = 96, H = 55, W = 55);
