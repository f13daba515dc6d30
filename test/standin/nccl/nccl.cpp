// libnccl: communicators and calls.
#include <cstring>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>

#include "test/standin/cudart/fault.h"
#include "test/standin/cudart/state.h"
#include "test/standin/nccl/group.h"

using namespace sheaf::standin;
using namespace sheaf::standin::nccl;

ncclResult_t ncclGetVersion(int *version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
  case ncclSuccess:
    return "no error";
  case ncclUnhandledCudaError:
    return "unhandled cuda error";
  case ncclInvalidArgument:
    return "invalid argument";
  case ncclInvalidUsage:
    return "invalid usage";
  case ncclSystemError:
    return "unhandled system error";
  case ncclInProgress:
    return "NCCL operation in progress";
  default:
    return "another error of NCCL";
  }
}

const char *ncclGetLastError(ncclComm_t) { return "see the lines that begin with standin:"; }

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::random_device random;
  std::snprintf(id->internal, sizeof id->internal, "standin-nccl-%08x%08x", random(), random());
  return ncclSuccess;
}

static bool isBlocking(const ncclConfig_t *config, bool otherwise) {
  return !config || config->blocking == NCCL_CONFIG_UNDEF_INT ? otherwise : config->blocking != 0;
}

static ncclComm_t toHandle(std::shared_ptr<Communicator> communicator) {
  return reinterpret_cast<ncclComm_t>(new std::shared_ptr<Communicator>(std::move(communicator)));
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *handle, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  if (size < 1 || rank < 0 || rank >= size)
    return ncclInvalidArgument;
  const std::string name = id.internal;
  const std::string folder = (std::filesystem::temp_directory_path() / name).string();
  auto communicator = std::make_shared<Communicator>(
      name, folder, rank, size, cudart::currentDevice(), isBlocking(config, true));
  *handle = toHandle(communicator);
  return settle(communicator);
}

ncclResult_t ncclCommInitRank(ncclComm_t *handle, int size, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(handle, size, id, rank, nullptr);
}

ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t *made,
                           ncclConfig_t *config) {
  std::shared_ptr<Communicator> parent = toCommunicator(handle);
  *made = nullptr;
  if (parent->advance() != ncclSuccess || parent->pendingPolls > 0)
    return ncclInvalidUsage;
  auto communicator =
      std::make_shared<Communicator>(parent, color, key, isBlocking(config, parent->isBlocking()));
  if (color != NCCL_SPLIT_NOCOLOR)
    *made = toHandle(communicator);
  return settle(communicator);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t *error) {
  Communicator &communicator = *toCommunicator(handle);
  if (cudart::isPlanted("async_error"))
    communicator.fail(ncclSystemError);
  *error = communicator.advance();
  if (communicator.pendingPolls > 0) {
    --communicator.pendingPolls;
    *error = ncclInProgress;
  }
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  toCommunicator(handle)->deregisterAll();
  delete &toCommunicator(handle);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  toCommunicator(handle)->abort();
  Engine::get().wake();
  return ncclCommDestroy(handle);
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int *count) {
  *count = toCommunicator(handle)->size();
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int *rank) {
  *rank = toCommunicator(handle)->rank();
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int *device) {
  *device = toCommunicator(handle)->device();
  return ncclSuccess;
}

/// What NCCL gives is mapped, not allocated: functions of CUDA that free memory do not know it. Here it begins where no
/// allocation does.
constexpr uint64_t mappedOffset = 512;
static std::mutex mappedMutex;
static std::set<void *> mapped;

/// The blocks that were given and not taken back, in this process; for tests.
extern "C" size_t sheafStandinMappedBlocks();
size_t sheafStandinMappedBlocks() {
  std::lock_guard lock(mappedMutex);
  return mapped.size();
}

ncclResult_t ncclMemAlloc(void **memory, size_t bytes) {
  void *begin = nullptr;
  if (bytes == 0 || cudaMalloc(&begin, bytes + mappedOffset) != cudaSuccess)
    return bytes == 0 ? ncclInvalidArgument : ncclUnhandledCudaError;
  *memory = static_cast<std::byte *>(begin) + mappedOffset;
  std::lock_guard lock(mappedMutex);
  mapped.insert(*memory);
  return ncclSuccess;
}

ncclResult_t ncclMemFree(void *memory) {
  {
    std::lock_guard lock(mappedMutex);
    if (mapped.erase(memory) == 0)
      return ncclInvalidArgument;
  }
  return cudaFree(static_cast<std::byte *>(memory) - mappedOffset) == cudaSuccess
             ? ncclSuccess
             : ncclUnhandledCudaError;
}

ncclResult_t ncclCommRegister(const ncclComm_t handle, void *memory, size_t bytes, void **made) {
  *made = toCommunicator(handle)->registerMemory(memory, bytes);
  if (*made)
    return ncclSuccess;
  Engine::get().fail(toCommunicator(handle)->device(),
                     "memory that is registered is not within one allocation, or is so already");
  return ncclInvalidArgument;
}

ncclResult_t ncclCommDeregister(const ncclComm_t handle, void *made) {
  return toCommunicator(handle)->deregisterMemory(made) ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t reduction, ncclComm_t handle, cudaStream_t stream) {
  return issue({Kind::AllReduce, send, receive, count, type, reduction, 0, toCommunicator(handle)},
               stream);
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t count, ncclDataType_t type,
                           ncclComm_t handle, cudaStream_t stream) {
  return issue({Kind::AllGather, send, receive, count, type, ncclSum, 0, toCommunicator(handle)},
               stream);
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t reduction, ncclComm_t handle, cudaStream_t stream) {
  return issue(
      {Kind::ReduceScatter, send, receive, count, type, reduction, 0, toCommunicator(handle)},
      stream);
}

ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count, ncclDataType_t type,
                           int root, ncclComm_t handle, cudaStream_t stream) {
  return issue({Kind::Broadcast, send, receive, count, type, ncclSum, root, toCommunicator(handle)},
               stream);
}

ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                        ncclRedOp_t reduction, int root, ncclComm_t handle, cudaStream_t stream) {
  return issue({Kind::Reduce, send, receive, count, type, reduction, root, toCommunicator(handle)},
               stream);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t handle, cudaStream_t stream) {
  return issue({Kind::Send, send, nullptr, count, type, ncclSum, peer, toCommunicator(handle)},
               stream);
}

ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type, int peer, ncclComm_t handle,
                      cudaStream_t stream) {
  return issue(
      {Kind::Receive, nullptr, receive, count, type, ncclSum, peer, toCommunicator(handle)},
      stream);
}
