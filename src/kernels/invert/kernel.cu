// image = 255 - image, one byte a thread, in place.
// Lanes are numbered along x first. A block narrower than 32 threads gives a warp pieces of several rows, each in a
// sector of its own: 16 x 16 makes two half-rows of 16 bytes where one sector would hold all 32.

__global__ void invert(unsigned char* image, int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || column >= width) return;
  const size_t i = (size_t)row * width + column;
  const unsigned char value = image[i];
  image[i] = 255 - value;
}
