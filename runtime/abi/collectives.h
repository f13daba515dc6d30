// The calls that ranks make together, and those that depend on the rank. Read runtime/abi/calls.h for the notation.
//
// `axes` is a list of parts of mesh axes, three ints each (axis, pre_size, size: runtime/abi/executable.fbs), major
// first; the group of a rank is the ranks that differ from it in those coordinates only, ordered by them.
// n is their number. Blocks are those of runtime/abi/shard.h: a dim that is cut along several parts is cut along the
// first, and each block along the next. All buffers are `plain`, of any element type (sum, max, min: any arithmetic
// type; mean: floats); 16-bit floats accumulate in f32.
//
// all_reduce, all_gather and reduce_scatter take one tensor or several: as many outs as ins, out i of in i and dims[i];
// all ins of a reduction have one element type. The tensors travel together, as one collective: its traffic is that of
// one tensor of all their bytes (runtime/abi/traffic.h), and it counts as one call. The results are, to the bit, those
// of a call for each. No out overlaps another out, nor an in but, where that is allowed, its own.
#ifndef SHEAF_RUNTIME_ABI_COLLECTIVES_H
#define SHEAF_RUNTIME_ABI_COLLECTIVES_H

namespace sheaf::abi::calls {

/// out = the combination of every member's in.
///
/// params:  axes: ints; kind: text (sum|max|min|mean).   alias: each out may be its in.
inline constexpr const char *allReduce = "all_reduce";

/// The members' ins in order along dim `dims[i]`, cut off at the extent of out, which is at most n times that of in;
/// with several parts in `axes`, the extent of in is exactly the block that they cut out into.
///
/// params:  axes, dims: ints.
inline constexpr const char *allGather = "all_gather";

/// This member's block of the combination of every member's in. The extent of out along `dims[i]` is
/// ceil(extent of in / n); elements past the end of in are 0.
///
/// params:  axes, dims: ints; kind: text.
inline constexpr const char *reduceScatter = "reduce_scatter";

/// The members' ins in order along `gather_dim`, cut off at the extent of out; of dim `split_dim` only this member's
/// block, whose elements past the end are 0. The dims differ.
///
/// params:  axes: ints; gather_dim, split_dim: int.
inline constexpr const char *allToAll = "all_to_all";

/// in of rank sources[r] becomes out of rank r, zeros where that is -1. Every rank of the mesh takes part.
///
/// params:  sources: ints, one per rank.
inline constexpr const char *permute = "permute";

/// What this member's part of `places` needs of a dim `dim` of `extent` elements, of which in is the member's block
/// (runtime/abi/window.h). The extent of out is the window's room for a block of places; elements that lie outside the
/// dim, or that no place of the member needs, are fill. A member sends another only what that one needs.
///
/// ins:     in, fill (rank 0).
/// params:  axes: ints; dim, extent, places, scale, divisor, first, last: int.
inline constexpr const char *window = "window";

/// This rank's block of in along `dim`; elements past the end are 0. Moves nothing between ranks.
///
/// params:  axes: ints; dim: int.
inline constexpr const char *shardSlice = "shard_slice";

/// result (i64, rank 0) = this rank's place among the n of `axes`.
///
/// params:  axes: ints.
inline constexpr const char *shardIndex = "shard_index";

} // namespace sheaf::abi::calls

#endif // SHEAF_RUNTIME_ABI_COLLECTIVES_H
