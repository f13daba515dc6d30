// Kernels as clang writes them, for the tests of the interpreter; no header of CUDA is needed.
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))

typedef unsigned int u32;
typedef unsigned long long u64;

DEVICE static int threadIndex() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
DEVICE static float warpSum(float value) {
  for (int step = 16; step; step /= 2)
    value += __nvvm_shfl_sync_bfly_f32(~0u, value, step, 31);
  return value;
}

struct alignas(16) Four {
  float values[4];
};

// y = gelu-like polynomial of x, four floats at once.
KERNEL polynomial(const Four *x, Four *y, long count) {
  long i = threadIndex();
  if (i >= count)
    return;
  Four in = x[i], out;
  for (int k = 0; k < 4; ++k) {
    float v = in.values[k];
    out.values[k] = v * (0.5f + v * (0.25f + v * (0.125f - v * 0.0625f)));
  }
  y[i] = out;
}

// Rows of `columns` elements, one block each.
KERNEL softmax(const float *x, float *y, int columns) {
  SHARED static float partial[32];
  const float *row = x + (long)__nvvm_read_ptx_sreg_ctaid_x() * columns;
  float *out = y + (long)__nvvm_read_ptx_sreg_ctaid_x() * columns;
  int thread = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
  float sum = 0;
  for (int i = thread; i < columns; i += threads)
    sum += __nvvm_ex2_approx_ftz_f(row[i] * 1.44269504f);
  sum = warpSum(sum);
  if (thread % 32 == 0)
    partial[thread / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < threads / 32; ++i)
    sum += partial[i];
  for (int i = thread; i < columns; i += threads)
    out[i] = __nvvm_ex2_approx_ftz_f(row[i] * 1.44269504f) / sum;
}

CONSTANT static const int weights[6] = {3, -1, 4, -1, 5, -9};

struct Pair {
  long a;
  int b[3];
};
DEVICE __attribute__((noinline)) static Pair makePair(int i) {
  return {i * 1000000007l, {i / 3, i % 7, -i}};
}
DEVICE __attribute__((noinline)) static long choose(Pair pair, int which) {
  switch (which) {
  case 0: return pair.a;
  case 1: return pair.b[0] * 2;
  case 2: return pair.b[1] ^ 5;
  case 3: return weights[pair.b[1] % 6];
  case 4: return pair.a / (pair.b[0] + 1);
  case 5: return (long)(pair.a * 0.5);
  default: return -1;
  }
}
// Calls, structs by value, a branch table, an indexed local array and constant memory.
KERNEL mixture(long *out, int count) {
  int i = threadIndex();
  if (i >= count)
    return;
  long history[8];
  for (int k = 0; k < 8; ++k)
    history[k] = choose(makePair(i + k), (i + k) % 7);
  out[i] = history[i % 8] + history[(i * 3) % 8];
}

// The counter-based generator Philox 4x32-10.
KERNEL philox(u32 *out, u32 key0, u32 key1) {
  u32 i = threadIndex();
  u32 c[4] = {i, 0, 0, 0};
  for (int round = 0; round < 10; ++round) {
    u64 p = (u64)c[0] * 0xD2511F53u, q = (u64)c[2] * 0xCD9E8D57u;
    u32 next[4] = {(u32)(q >> 32) ^ c[1] ^ key0, (u32)q, (u32)(p >> 32) ^ c[3] ^ key1, (u32)p};
    for (int k = 0; k < 4; ++k)
      c[k] = next[k];
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = c[k];
}

// Sums in 16-bit floats, as clang spells them.
KERNEL brainFloats(const __bf16 *x, const __bf16 *y, __bf16 *z, _Float16 *h, int count) {
  int i = threadIndex();
  if (i >= count)
    return;
  z[i] = (__bf16)((float)x[i] * (float)y[i] + 1.0f);
  h[i] = (_Float16)(float)x[i] * (_Float16)(float)y[i] + (_Float16)0.5f;
}

// A histogram in shared memory of the launch.
KERNEL histogram(const unsigned char *values, u32 *bins, int count) {
  extern SHARED u32 local[];
  for (int i = __nvvm_read_ptx_sreg_tid_x(); i < 256; i += __nvvm_read_ptx_sreg_ntid_x())
    local[i] = 0;
  __syncthreads();
  for (int i = threadIndex(); i < count; i += __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
    __nvvm_atom_add_gen_i((int *)&local[values[i]], 1);
  __syncthreads();
  for (int i = __nvvm_read_ptx_sreg_tid_x(); i < 256; i += __nvvm_read_ptx_sreg_ntid_x())
    __nvvm_atom_add_gen_i((int *)&bins[i], local[i]);
}
