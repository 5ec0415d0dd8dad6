// exit 2: no __global__ function
