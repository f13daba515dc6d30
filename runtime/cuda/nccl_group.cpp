// Puts collectives into a stream.
#include "runtime/cuda/nccl_group.h"

#include "runtime/abi/cuda_calls.h"
#include "runtime/cuda/cuda_device.h"

#include <optional>

namespace sheaf::rt::cuda {
namespace {

constexpr std::optional<ncclDataType_t> typeOf(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::i8:
    return ncclInt8;
  case abi::ElementType::ui8:
    return ncclUint8;
  case abi::ElementType::i32:
    return ncclInt32;
  case abi::ElementType::ui32:
    return ncclUint32;
  case abi::ElementType::i64:
    return ncclInt64;
  case abi::ElementType::ui64:
    return ncclUint64;
  case abi::ElementType::f16:
    return ncclFloat16;
  case abi::ElementType::bf16:
    return ncclBfloat16;
  case abi::ElementType::f32:
    return ncclFloat32;
  case abi::ElementType::f64:
    return ncclFloat64;
  default:
    return std::nullopt;
  }
}

/// The compiler refuses what NCCL does not combine.
constexpr bool knowsWhatIsCombined() {
  for (int type = 0; type <= static_cast<int>(abi::ElementType::MAX); ++type)
    if (typeOf(abi::ElementType(type)).has_value() != abi::cudaCombines(abi::ElementType(type)))
      return false;
  return true;
}
static_assert(knowsWhatIsCombined());

ncclRedOp_t operationOf(CombineKind kind) {
  switch (kind) {
  case CombineKind::sum:
    return ncclSum;
  case CombineKind::max:
    return ncclMax;
  case CombineKind::min:
    return ncclMin;
  case CombineKind::mean:
    break;
  }
  return ncclAvg;
}

class NcclGroup final : public Group {
public:
  NcclGroup(CudaDevice &device, NcclComm &comm, CollectiveTrail &trail, int index, int size)
      : device(device), comm(comm), trail(trail), ownIndex(index), numMembers(size),
        stream(trail.stream()) {}

  int index() const override { return ownIndex; }
  int size() const override { return numMembers; }

  Status allReduce(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                   abi::ElementType type, CombineKind kind) override {
    return reduce(site, type, buffers,
                  [&](ncclComm_t handle, const CollectiveBuffer &buffer, ncclDataType_t element) {
                    return nccl().ncclAllReduce(buffer.in, buffer.out, buffer.size, element,
                                                operationOf(kind), handle, stream);
                  });
  }

  Status allGather(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers) override {
    show(buffers);
    return together(site, [&](ncclComm_t handle) {
      for (const CollectiveBuffer &buffer : buffers)
        if (buffer.size > 0)
          note(nccl().ncclAllGather(buffer.in, buffer.out, buffer.size, ncclInt8, handle, stream));
    });
  }

  Status reduceScatter(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                       abi::ElementType type, CombineKind kind) override {
    return reduce(site, type, buffers,
                  [&](ncclComm_t handle, const CollectiveBuffer &buffer, ncclDataType_t element) {
                    return nccl().ncclReduceScatter(buffer.in, buffer.out, buffer.size, element,
                                                    operationOf(kind), handle, stream);
                  });
  }

  Status allToAll(const CollectiveSite &site, const void *in, void *out,
                  size_t blockBytes) override {
    if (blockBytes == 0)
      return {};
    size_t own = static_cast<size_t>(ownIndex) * blockBytes;
    if (Status status = keep(in, own, out, own, blockBytes); !status.isOk())
      return status;
    show({{in, out, 0}});
    return together(site, [&](ncclComm_t handle) {
      for (int peer = 0; peer < numMembers; ++peer) {
        if (peer == ownIndex)
          continue;
        size_t at = static_cast<size_t>(peer) * blockBytes;
        send(handle, in, at, blockBytes, peer);
        receive(handle, out, at, blockBytes, peer);
      }
    });
  }

  Status permute(const CollectiveSite &site, const void *in, void *out, size_t bytes,
                 std::span<const int> sources) override {
    if (bytes == 0)
      return {};
    int source = sources[static_cast<size_t>(ownIndex)];
    if (source < 0)
      if (Status status =
              statusOf(cudart().cudaMemsetAsync(out, 0, bytes, stream), "cudaMemsetAsync");
          !status.isOk())
        return status;
    if (source == ownIndex)
      if (Status status = keep(in, 0, out, 0, bytes); !status.isOk())
        return status;
    show({{in, out, 0}});
    return together(site, [&](ncclComm_t handle) {
      for (int peer = 0; peer < numMembers; ++peer)
        if (peer != ownIndex && sources[static_cast<size_t>(peer)] == ownIndex)
          send(handle, in, 0, bytes, peer);
      if (source >= 0 && source != ownIndex)
        receive(handle, out, 0, bytes, source);
    });
  }

  Status exchange(const CollectiveSite &site, const void *in, void *out,
                  std::span<const Transfer> transfers) override {
    for (const Transfer &transfer : transfers)
      if (transfer.bytes > 0 && transfer.from == ownIndex && transfer.to == ownIndex)
        if (Status status = keep(in, transfer.fromOffset, out, transfer.toOffset, transfer.bytes);
            !status.isOk())
          return status;
    // Two members meet in the order of the list, which is the same for both.
    show({{in, out, 0}});
    return together(site, [&](ncclComm_t handle) {
      for (const Transfer &transfer : transfers) {
        if (transfer.bytes == 0 || transfer.from == transfer.to)
          continue;
        if (transfer.from == ownIndex)
          send(handle, in, transfer.fromOffset, transfer.bytes, transfer.to);
        if (transfer.to == ownIndex)
          receive(handle, out, transfer.toOffset, transfer.bytes, transfer.from);
      }
    });
  }

private:
  /// Calls `call(handle, buffer, element)` for each that is not empty.
  template <typename Call>
  Status reduce(const CollectiveSite &site, abi::ElementType type,
                std::span<const CollectiveBuffer> buffers, const Call &call) {
    std::optional<ncclDataType_t> element = typeOf(type);
    if (!element)
      return Status::invalid("NCCL does not combine elements of type ", abi::nameOf(type));
    show(buffers);
    return together(site, [&](ncclComm_t handle) {
      for (const CollectiveBuffer &buffer : buffers)
        if (buffer.size > 0)
          note(call(handle, buffer, *element));
    });
  }

  /// Lets NCCL reach the buffers directly, from the first run on: while steps are recorded nothing may be registered.
  void show(std::span<const CollectiveBuffer> buffers) {
    if (device.isCapturing)
      return;
    for (const CollectiveBuffer &buffer : buffers)
      for (const void *address : {buffer.in, static_cast<const void *>(buffer.out)})
        comm.registerBlockOf(address);
  }
  void show(std::initializer_list<CollectiveBuffer> buffers) { show(std::span(buffers)); }

  /// Does at the same time what `add` adds.
  template <typename Add> Status together(const CollectiveSite &site, const Add &add) {
    if (Status status = trail.enter(site); !status.isOk())
      return status;
    return comm.enqueue("ncclGroupEnd", [&](ncclComm_t handle) {
      firstResult = nccl().ncclGroupStart();
      add(handle);
      note(nccl().ncclGroupEnd());
      return firstResult;
    });
  }

  /// What a member sends to itself takes no message.
  Status keep(const void *in, size_t from, void *out, size_t to, size_t bytes) {
    cudaError_t error = cudart().cudaMemcpyAsync(static_cast<std::byte *>(out) + to,
                                                 static_cast<const std::byte *>(in) + from, bytes,
                                                 cudaMemcpyDeviceToDevice, stream);
    return statusOf(error, "cudaMemcpyAsync");
  }

  void send(ncclComm_t handle, const void *from, size_t at, size_t bytes, int peer) {
    note(nccl().ncclSend(static_cast<const std::byte *>(from) + at, bytes, ncclInt8, peer, handle,
                         stream));
  }
  void receive(ncclComm_t handle, void *to, size_t at, size_t bytes, int peer) {
    note(nccl().ncclRecv(static_cast<std::byte *>(to) + at, bytes, ncclInt8, peer, handle, stream));
  }
  void note(ncclResult_t result) {
    if (firstResult == ncclSuccess || firstResult == ncclInProgress)
      firstResult = result;
  }

  CudaDevice &device;
  NcclComm &comm;
  CollectiveTrail &trail;
  int ownIndex, numMembers;
  cudaStream_t stream;
  ncclResult_t firstResult = ncclSuccess; ///< that is a failure, of a list of calls
};

} // namespace

std::unique_ptr<Group> makeNcclGroup(CudaDevice &device, NcclComm &comm, CollectiveTrail &trail,
                                     int index, int size) {
  return std::make_unique<NcclGroup>(device, comm, trail, index, size);
}

} // namespace sheaf::rt::cuda
