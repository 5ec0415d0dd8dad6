// exit 2: 
/* gpuprobe
[[kernel]]
name="k"
