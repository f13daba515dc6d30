# Writes <PTX>.cpp, which registers the bytes of the file PTX as the device code NAME (runtime/cuda/embedded_image.h).
file(READ "${PTX}" hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE "${PTX}.cpp"
"#include \"runtime/cuda/embedded_image.h\"
namespace sheaf::rt::cuda {
static const char ptx[] = {${bytes}};
static const EmbeddedImage image(\"${NAME}\", ptx, sizeof ptx);
} // namespace sheaf::rt::cuda
")
