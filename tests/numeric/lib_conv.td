// Functions of stdlib/conv.td as kernels: groups, strides, dilation, both orders of channels, gathers of transposed
// convolutions, windows that depend on the output's place.
import "conv";

export grouped = conv2d(T = f16, stride = 2, padding = 1, padding_w = 0, dilation_w = 2, groups = 4, act = relu);
export last = conv2d_nhwc(T = bf16, padding = 1, stride = 2, groups = 2);
export volume = conv3d(T = f32, padding = 1, stride_h = 2);
export each = depthwise_conv2d(T = f16, padding = 1, stride = 2);
export back = conv_transpose2d(T = f32, stride = 3, padding = 1, output_padding = 1, groups = 2);
export filters = conv2d_grad_weight(T = f32, stride = 2, padding = 1, groups = 2);
export columns = im2col(T = f32, kernel = 3, padding = 1, stride = 2);
export largest = max_pool2d_indices(T = f16, B = [N], kernel = 3, padding = 1, stride = 2, ceil_mode = true);
export average = avg_pool2d(T = f16, B = [N, C], kernel = 3, stride = 2, padding = 1, ceil_mode = true, count_include_pad = false);
export parts = adaptive_avg_pool2d(T = f32, B = [N]);

check grouped(N = 2, C = 2, H = 9, W = 11, K = 3, R = 3, S = 3);
check last(N = 1, H = 7, W = 9, C = 3, K = 4, R = 3, S = 2);
check volume(N = 2, C = 3, D = 4, H = 6, W = 5, K = 2, R = 2, S = 3, U = 3);
check each(N = 2, C = 3, H = 7, W = 8, M = 2, R = 3, S = 2);
check back(N = 1, C = 3, H = 4, W = 3, K = 2, R = 3, S = 4);
check filters(N = 2, C = 3, H = 8, W = 6, K = 2, P = 4, Q = 3, R = 3, S = 2);
check columns(N = 2, C = 3, H = 7, W = 6);
check largest(N = 3, H = 8, W = 7);
check average(N = 2, C = 3, H = 8, W = 7);
check parts(N = 3, H = 7, W = 9, P = 3, Q = 5);
