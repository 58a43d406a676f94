fn factor() -> f32 = 2;
