// A libcuda for machines without a GPU: what cuDNN loads to make plans, which succeeds and does nothing. The functions
// are declared without their parameters, of which only results are of interest.

namespace {

constexpr int success = 0;
int nobody; ///< What handles point to.

} // namespace

#define SHEAF_DOES_NOTHING(name)                                                                   \
  int name() { return success; }
#define SHEAF_GIVES_HANDLE(name)                                                                   \
  int name(void **handle) {                                                                        \
    *handle = &nobody;                                                                             \
    return success;                                                                                \
  }
#define SHEAF_GIVES_NUMBER(name, value)                                                            \
  int name(int *number) {                                                                          \
    *number = value;                                                                               \
    return success;                                                                                \
  }
#define SHEAF_GIVES_TEXT(name)                                                                     \
  int name(int, const char **text) {                                                               \
    *text = "an error";                                                                            \
    return success;                                                                                \
  }

extern "C" {

SHEAF_DOES_NOTHING(cuCtxGetLimit)
SHEAF_DOES_NOTHING(cuCtxPopCurrent)
SHEAF_DOES_NOTHING(cuCtxPushCurrent)
SHEAF_DOES_NOTHING(cuKernelGetAttribute)
SHEAF_DOES_NOTHING(cuKernelSetAttribute)
SHEAF_DOES_NOTHING(cuLaunchCooperativeKernel)
SHEAF_DOES_NOTHING(cuLaunchKernel)
SHEAF_DOES_NOTHING(cuLaunchKernelEx)
SHEAF_DOES_NOTHING(cuLibraryUnload)
SHEAF_DOES_NOTHING(cuLinkAddData)
SHEAF_DOES_NOTHING(cuLinkComplete)
SHEAF_DOES_NOTHING(cuLinkCreate)
SHEAF_DOES_NOTHING(cuLinkDestroy)
SHEAF_DOES_NOTHING(cuOccupancyMaxPotentialClusterSize)
SHEAF_DOES_NOTHING(cuStreamGetCtx)
SHEAF_GIVES_HANDLE(cuCtxGetCurrent)
SHEAF_GIVES_HANDLE(cuLibraryGetKernel)
SHEAF_GIVES_HANDLE(cuLibraryLoadData)
SHEAF_GIVES_HANDLE(cuLibraryLoadFromFile)
SHEAF_GIVES_NUMBER(cuDeviceGet, 0)
SHEAF_GIVES_NUMBER(cuDeviceGetCount, 1)
SHEAF_GIVES_NUMBER(cuDriverGetVersion, 13000)
SHEAF_GIVES_TEXT(cuGetErrorName)
SHEAF_GIVES_TEXT(cuGetErrorString)
}
