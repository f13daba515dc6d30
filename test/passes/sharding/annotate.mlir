// RUN: shard-opt %s --sharding-annotate=strict | FileCheck %s

// The factor rule of every op, and of every kind of shape that changes it.

// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: tensor<4x8xf32>, %p: tensor<4x8xi1>, %s: tensor<f32>) {
  // CHECK-NEXT: graph.unary {{.*}}sharding.rule = "ab->ab"
  %0 = graph.unary exp %a : tensor<4x8xf32>
  // CHECK-NEXT: graph.unary {{.*}}sharding.rule = ".->."
  %1 = graph.unary exp %s : tensor<f32>
  // CHECK-NEXT: graph.binary {{.*}}sharding.rule = "ab,ab->ab"
  %2 = graph.binary add %a, %a : tensor<4x8xf32>
  // CHECK-NEXT: graph.compare {{.*}}sharding.rule = "ab,ab->ab"
  %3 = graph.compare lt %a, %a : tensor<4x8xf32>
  // CHECK-NEXT: graph.select {{.*}}sharding.rule = "ab,ab,ab->ab"
  %4 = graph.select %p, %a, %a : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK-NEXT: graph.cast {{.*}}sharding.rule = "ab->ab"
  %5 = graph.cast %a : tensor<4x8xf32> -> tensor<4x8xbf16>
  return
}

// What comes from nothing can be made in parts, unless an element depends on its place among all.
// CHECK-LABEL: func @data
func.func @data() {
  // CHECK-NEXT: graph.constant {{.*}}sharding.rule = "->ab"
  %0 = graph.constant dense<1.0> : tensor<4x8xf32>
  // CHECK-NEXT: graph.constant {{.*}}sharding.rule = "->a replicate a"
  %1 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-NEXT: graph.constant {{.*}}sharding.rule = "->ab replicate ab"
  %2 = graph.constant #graph.external<"w.bin", 0, 128> : tensor<4x8xf32>
  // CHECK-NEXT: graph.iota {{.*}}sharding.rule = "->ab"
  %3 = graph.iota dim 1 : tensor<4x8xi64>
  // CHECK-NEXT: graph.iota {{.*}}sharding.rule = "->ab replicate b"
  %4 = graph.iota dim 1 : tensor<4x8xi1>
  // CHECK-NEXT: graph.random {{.*}}sharding.rule = "->ab"
  %5 = graph.random uniform seed 7 (0.0, 1.0) : tensor<4x8xf32>
  return
}

// Batch and free dims pass through, contracted ones are reduced.
// CHECK-LABEL: func @contract
func.func @contract(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>, %m: tensor<4x8xf32>,
                    %n: tensor<8x2xf32>) {
  // CHECK-NEXT: graph.contract {{.*}}sharding.rule = "abd,adc->abc"
  %0 = graph.contract %a, %b batch [0] x [0] over [2] x [1]
      : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  // CHECK-NEXT: graph.contract {{.*}}sharding.rule = "ac,cb->ab"
  %1 = graph.contract %m, %n batch [] x [] over [1] x [0]
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: func @movement
func.func @movement(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>, %v: tensor<f32>) {
  // CHECK-NEXT: graph.transpose {{.*}}sharding.rule = "ab->ba"
  %0 = graph.transpose %x by [1, 0] : tensor<4x8xf32>
  // A repeated dim is made in parts.
  // CHECK-NEXT: graph.broadcast {{.*}}sharding.rule = "ac->abc"
  %1 = graph.broadcast %x to [0, 2] : tensor<4x8xf32> -> tensor<4x3x8xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = ".->__"
  %w = graph.reshape %v : tensor<f32> -> tensor<1x1xf32>
  // CHECK-NEXT: graph.broadcast {{.*}}sharding.rule = "_b->ab"
  %2 = graph.broadcast %w to [0, 1] : tensor<1x1xf32> -> tensor<3x1xf32>
  return
}

// CHECK-LABEL: func @moved_along_dims
func.func @moved_along_dims(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>, %v: tensor<f32>) {
  // The size is that of the operand: 8 elements may be cut into more parts than 1 (case 8).
  // CHECK-NEXT: graph.slice {{.*}}sharding.rule = "ab->ab permute b size b=8"
  %0 = graph.slice %x from [0, 2] to [4, 3] by [1, 1] : tensor<4x8xf32>
  // CHECK-NEXT: graph.slice {{.*}}sharding.rule = "ab->ab permute ab size a=4,b=8"
  %1 = graph.slice %x from [1, 0] to [4, 8] by [1, 2] : tensor<4x8xf32>
  // CHECK-NEXT: graph.pad {{.*}}sharding.rule = "ab,.->ab permute b"
  %2 = graph.pad %x, %v low [0, 0] high [0, 1] : tensor<4x8xf32>, tensor<f32>
  // CHECK-NEXT: graph.reverse {{.*}}sharding.rule = "ab->ab permute a"
  %3 = graph.reverse %x dims [0] : tensor<4x8xf32>
  // CHECK-NEXT: graph.concat {{.*}}sharding.rule = "ab,ab->ab permute b"
  %4 = graph.concat %x, %y dim 1 : tensor<4x8xf32>, tensor<4x2xf32>
  return
}

// The largest common factors, majors from the left and minors from the right.
// CHECK-LABEL: func @reshape
func.func @reshape(%a: tensor<2x4xf32>, %b: tensor<8xf32>, %c: tensor<16xf32>, %d: tensor<8x4xf32>,
                   %e: tensor<6x4xf32>, %f: tensor<3x2xf32>, %g: tensor<3x4x5xf32>,
                   %h: tensor<0x4xf32>, %i: tensor<1x8x1xf32>, %j: tensor<6x35x4xf32>,
                   %k: tensor<6x2xf32>) {
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "ab->(ab)"
  %0 = graph.reshape %a : tensor<2x4xf32> -> tensor<8xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "(ab)->ab"
  %1 = graph.reshape %b : tensor<8xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "(ab)->ab"
  %2 = graph.reshape %c : tensor<16xf32> -> tensor<4x4xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "(ab)c->a(bc) size b=4"
  %3 = graph.reshape %d : tensor<8x4xf32> -> tensor<2x16xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "ab->(ab)"
  %4 = graph.reshape %e : tensor<6x4xf32> -> tensor<24xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "(ac)(db)->(ae)(fb) replicate cdef size a=2,b=2,c=3,d=2,e=2,f=3"
  %5 = graph.reshape %e : tensor<6x4xf32> -> tensor<4x6xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "ab->cd replicate abcd"
  %6 = graph.reshape %f : tensor<3x2xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "abc->a(bc)"
  %7 = graph.reshape %g : tensor<3x4x5xf32> -> tensor<3x20xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "__->_"
  %8 = graph.reshape %h : tensor<0x4xf32> -> tensor<0xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "_a_->a_"
  %9 = graph.reshape %i : tensor<1x8x1xf32> -> tensor<8x1xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "(ab)(cd)e->a(bc)(de) size b=3,c=5,d=7"
  %10 = graph.reshape %j : tensor<6x35x4xf32> -> tensor<2x15x28xf32>
  // CHECK-NEXT: graph.reshape {{.*}}sharding.rule = "(ab)c->(ad)e replicate bcde size a=2,b=3,d=2"
  %11 = graph.reshape %k : tensor<6x2xf32> -> tensor<4x3xf32>
  return
}

// Vocabulary-parallel lookups: the indexed dim is a reduction.
// CHECK-LABEL: func @gather
func.func @gather(%t: tensor<100x8xf32>, %i: tensor<2x4xi64>, %x: tensor<2x5x8xf32>,
                  %p: tensor<100xi1>, %q: tensor<100x8xf8E4M3FN>) {
  // CHECK-NEXT: graph.gather {{.*}}sharding.rule = "ab,cd->cdb reduce a"
  %0 = graph.gather %t, %i dim 0 batch 0 : tensor<100x8xf32>, tensor<2x4xi64>
  // CHECK-NEXT: graph.gather {{.*}}sharding.rule = "abc,ad->adc reduce b"
  %1 = graph.gather %x, %i dim 1 batch 1 : tensor<2x5x8xf32>, tensor<2x4xi64>
  // CHECK-NEXT: graph.gather {{.*}}sharding.rule = "a,bc->bc reduce_max a"
  %2 = graph.gather %p, %i dim 0 batch 0 : tensor<100xi1>, tensor<2x4xi64>
  // Ranks do not add what has no arithmetic.
  // CHECK-NEXT: graph.gather {{.*}}sharding.rule = "ab,cd->cdb replicate a"
  %3 = graph.gather %q, %i dim 0 batch 0 : tensor<100x8xf8E4M3FN>, tensor<2x4xi64>
  return
}

// CHECK-LABEL: func @gather_elements
func.func @gather_elements(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %j: tensor<3x2xi64>) {
  // CHECK-NEXT: graph.gather_elements {{.*}}sharding.rule = "ab,ac->ac reduce b"
  %0 = graph.gather_elements %x, %i dim 1 : tensor<4x8xf32>, tensor<4x2xi64>
  // Indices for a part of the rows only.
  // CHECK-NEXT: graph.gather_elements {{.*}}sharding.rule = "ab,ac->ac replicate a reduce b"
  %1 = graph.gather_elements %x, %j dim 1 : tensor<4x8xf32>, tensor<3x2xi64>
  return
}

// CHECK-LABEL: func @gather_nd
func.func @gather_nd(%x: tensor<2x4x8xf32>, %i: tensor<3x2xi64>, %j: tensor<2x3x1xi64>) {
  // CHECK-NEXT: graph.gather_nd {{.*}}sharding.rule = "abc,de->dc reduce ab replicate e"
  %0 = graph.gather_nd %x, %i batch 0 : tensor<2x4x8xf32>, tensor<3x2xi64>
  // CHECK-NEXT: graph.gather_nd {{.*}}sharding.rule = "abc,ade->adc reduce b replicate e"
  %1 = graph.gather_nd %x, %j batch 1 : tensor<2x4x8xf32>, tensor<2x3x1xi64>
  return
}

// The updates are reduced where their order does not count; the operand's dims pass through.
// CHECK-LABEL: func @scatter_elements
func.func @scatter_elements(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>,
                            %j: tensor<3x2xi64>, %v: tensor<3x2xf32>, %e: tensor<4x0xi64>,
                            %w: tensor<4x0xf32>, %p: tensor<4x8xi1>, %q: tensor<4x2xi1>,
                            %o: tensor<4x1xf32>) {
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab reduce c"
  %0 = graph.scatter_elements add %x, %i, %u dim 1
      : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab reduce_max c"
  %1 = graph.scatter_elements max %x, %i, %u dim 1
      : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab reduce_min c"
  %2 = graph.scatter_elements min %x, %i, %u dim 1
      : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab replicate c"
  %3 = graph.scatter_elements set %x, %i, %u dim 1
      : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab replicate c"
  %4 = graph.scatter_elements mul %x, %i, %u dim 1
      : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab replicate a reduce c"
  %5 = graph.scatter_elements add %x, %j, %v dim 1
      : tensor<4x8xf32>, tensor<3x2xi64>, tensor<3x2xf32>
  // No rank would have the first update, and so the operand.
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab replicate c"
  %6 = graph.scatter_elements add %x, %e, %w dim 1
      : tensor<4x8xf32>, tensor<4x0xi64>, tensor<4x0xf32>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab replicate c"
  %7 = graph.scatter_elements add %p, %i, %q dim 1
      : tensor<4x8xi1>, tensor<4x2xi64>, tensor<4x2xi1>
  // CHECK-NEXT: graph.scatter_elements {{.*}}sharding.rule = "ab,ac,ac->ab replicate bc"
  %8 = graph.scatter_elements set %o, %i, %u dim 1
      : tensor<4x1xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  return
}

// CHECK-LABEL: func @scatter_nd
func.func @scatter_nd(%x: tensor<8x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>,
                      %j: tensor<2x3x2xi64>, %v: tensor<2x3xf32>) {
  // CHECK-NEXT: graph.scatter_nd {{.*}}sharding.rule = "ab,cd,cb->ab reduce c replicate d"
  %0 = graph.scatter_nd add %x, %i, %u : tensor<8x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>
  // CHECK-NEXT: graph.scatter_nd {{.*}}sharding.rule = "ab,cde,cd->ab replicate cde"
  %1 = graph.scatter_nd set %x, %j, %v : tensor<8x4xf32>, tensor<2x3x2xi64>, tensor<2x3xf32>
  return
}

// Case 19, with channels first. Parts of the input are cut like those of the result, whether or not strides divide, and
// read through windows; the case makes the stride a factor of the input, which only helps where it divides. The window
// is needed whole, where the case has reductions: a part of the window would need the input moved by the part's place
// in it, and nobody cuts 3 elements.
// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<2x192x224x224xf32>, %f: tensor<64x192x3x3xf32>,
                %p: tensor<64x192x16x16xf32>, %o: tensor<64x192x1x1xf32>) {
  // CHECK-NEXT: graph.conv {{.*}}sharding.rule = "abdf,cbeg->acdf replicate e permute d replicate g permute f"
  %0 = graph.conv %x, %f strides [2, 2] pad [0, 0] to [1, 1] dilations [1, 1] groups 1
      : tensor<2x192x224x224xf32>, tensor<64x192x3x3xf32>
  // Patches do not overlap, and windows move nothing where they lie within blocks.
  // CHECK-NEXT: graph.conv {{.*}}sharding.rule = "abdf,cbeg->acdf replicate e permute d replicate g permute f"
  %1 = graph.conv %x, %p strides [16, 16] pad [0, 0] to [0, 0] dilations [1, 1] groups 1
      : tensor<2x192x224x224xf32>, tensor<64x192x16x16xf32>
  // CHECK-NEXT: graph.conv {{.*}}sharding.rule = "abdf,cbeg->acdf replicate eg"
  %2 = graph.conv %x, %o strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1
      : tensor<2x192x224x224xf32>, tensor<64x192x1x1xf32>
  return
}

// Channels are cut by group first.
// CHECK-LABEL: func @grouped_conv
func.func @grouped_conv(%x: tensor<2x12x8xf32>, %f: tensor<6x4x1xf32>, %d: tensor<12x1x1xf32>,
                        %m: tensor<24x1x1xf32>) {
  // CHECK-NEXT: graph.conv {{.*}}sharding.rule = "a(db)e,(dc)bf->a(dc)e replicate f size d=3,c=2"
  %0 = graph.conv %x, %f strides [1] pad [0] to [0] dilations [1] groups 3
      : tensor<2x12x8xf32>, tensor<6x4x1xf32>
  // CHECK-NEXT: graph.conv {{.*}}sharding.rule = "ade,d_f->ade replicate f"
  %1 = graph.conv %x, %d strides [1] pad [0] to [0] dilations [1] groups 12
      : tensor<2x12x8xf32>, tensor<12x1x1xf32>
  // CHECK-NEXT: graph.conv {{.*}}sharding.rule = "ade,(dc)_f->a(dc)e replicate f size c=2"
  %2 = graph.conv %x, %m strides [1] pad [0] to [0] dilations [1] groups 12
      : tensor<2x12x8xf32>, tensor<24x1x1xf32>
  return
}

// The gradients are the same contraction, seen from its other sides.
// CHECK-LABEL: func @conv_gradients
func.func @conv_gradients(%x: tensor<1x2x6xf32>, %g: tensor<1x4x3xf32>, %f: tensor<4x2x2xf32>,
                          %h: tensor<1x4x2xf32>, %l: tensor<4x2x3xf32>) {
  // CHECK-NEXT: graph.conv_input_grad {{.*}}sharding.rule = "acd,cbe->abd replicate e permute d size d=3"
  %0 = graph.conv_input_grad %g, %f strides [2] pad [0] to [0] dilations [1] groups 1
      : (tensor<1x4x3xf32>, tensor<4x2x2xf32>) -> tensor<1x2x6xf32>
  // CHECK-NEXT: graph.conv_filter_grad {{.*}}sharding.rule = "abd,acd->cbe replicate e size d=3"
  %1 = graph.conv_filter_grad %x, %g strides [2] pad [0] to [0] dilations [1] groups 1
      : (tensor<1x2x6xf32>, tensor<1x4x3xf32>) -> tensor<4x2x2xf32>
  // CHECK-NEXT: graph.conv_filter_grad {{.*}}sharding.rule = "abd,acd->cbe replicate e size d=2"
  %2 = graph.conv_filter_grad %x, %h strides [2] pad [0] to [0] dilations [1] groups 1
      : (tensor<1x2x6xf32>, tensor<1x4x2xf32>) -> tensor<4x2x3xf32>
  return
}

// CHECK-LABEL: func @pool
func.func @pool(%x: tensor<1x3x8x9xf32>) {
  // CHECK-NEXT: graph.pool {{.*}}sharding.rule = "abcd->abcd permute cd"
  %0 = graph.pool max %x window [2, 2] strides [2, 2] pad [0, 0] to [0, 0] dilations [1, 1]
      : tensor<1x3x8x9xf32>
  // CHECK-NEXT: graph.pool_argmax {{.*}}sharding.rule = "abcd->abcd,abcd replicate cd"
  %1, %2 = graph.pool_argmax %x window [2, 2] strides [2, 2] pad [0, 0] to [0, 0] dilations [1, 1]
      : tensor<1x3x8x9xf32>
  return
}

// CHECK-LABEL: func @resize
func.func @resize(%x: tensor<1x3x2x2xf32>) {
  // CHECK-NEXT: graph.resize {{.*}}sharding.rule = "abcd->abcd replicate cd"
  %0 = graph.resize linear half_pixel floor %x scales [1.0, 1.0, 2.0, 2.0] region []
      : tensor<1x3x2x2xf32> -> tensor<1x3x4x4xf32>
  // CHECK-NEXT: graph.resize {{.*}}sharding.rule = "abcd->abcd replicate d"
  %1 = graph.resize linear tf_crop_and_resize floor %x scales [1.0, 1.0, 1.0, 1.0]
      region [0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0]
      : tensor<1x3x2x2xf32> -> tensor<1x3x2x2xf32>
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<2x64x13xf32>, %p: tensor<4x8xi1>, %h: tensor<4x8xf8E4M3FN>) {
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "abc->c reduce ab"
  %0 = graph.reduce sum %x over [0, 1] : tensor<2x64x13xf32>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "abc->ac reduce_max b"
  %1 = graph.reduce max %x over [1] : tensor<2x64x13xf32>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "abc->ac reduce_min b"
  %2 = graph.reduce min %x over [1] : tensor<2x64x13xf32>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "abc->ac replicate b"
  %3 = graph.reduce prod %x over [1] : tensor<2x64x13xf32>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "ab->a reduce_max b"
  %4 = graph.reduce any %p over [1] : tensor<4x8xi1>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "ab->a reduce_min b"
  %5 = graph.reduce all %p over [1] : tensor<4x8xi1>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "ab->a replicate b"
  %6 = graph.reduce sum %p over [1] : tensor<4x8xi1>
  // CHECK-NEXT: graph.reduce {{.*}}sharding.rule = "ab->a replicate b"
  %7 = graph.reduce max %h over [1] : tensor<4x8xf8E4M3FN>
  return
}

// Rows along the dim are needed whole.
// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<4x8x2xf32>) {
  // CHECK-NEXT: graph.arg_reduce {{.*}}sharding.rule = "abc->ac replicate b"
  %0 = graph.arg_reduce max %x dim 1 : tensor<4x8x2xf32>
  // CHECK-NEXT: graph.cumulative {{.*}}sharding.rule = "abc->abc replicate b"
  %1 = graph.cumulative sum %x dim 1 : tensor<4x8x2xf32>
  // CHECK-NEXT: graph.sort {{.*}}sharding.rule = "abc->abc,abc replicate b"
  %2, %3 = graph.sort %x dim 1 : tensor<4x8x2xf32>
  // CHECK-NEXT: graph.topk {{.*}}sharding.rule = "abc->abc,abc replicate b"
  %4, %5 = graph.topk %x dim 1 k 3 : tensor<4x8x2xf32>
  // CHECK-NEXT: graph.softmax {{.*}}sharding.rule = "abc->abc replicate c"
  %6 = graph.softmax %x dim 2 : tensor<4x8x2xf32>
  // CHECK-NEXT: graph.log_softmax {{.*}}sharding.rule = "abc->abc replicate a"
  %7 = graph.log_softmax %x dim 0 : tensor<4x8x2xf32>
  return
}

// CHECK-LABEL: func @norm
func.func @norm(%x: tensor<4x8x2xf32>, %s: tensor<8x2xf32>, %c: tensor<8xf32>) {
  // CHECK-NEXT: graph.layer_norm {{.*}}sharding.rule = "abc,bc,bc->abc replicate bc"
  %0 = graph.layer_norm %x scale %s bias %s axis 1 epsilon 1.0e-5
      : tensor<4x8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
  // CHECK-NEXT: graph.layer_norm {{.*}}sharding.rule = "abc->abc replicate c"
  %1 = graph.layer_norm %x axis 2 epsilon 1.0e-5 : tensor<4x8x2xf32>
  // CHECK-NEXT: graph.rms_norm {{.*}}sharding.rule = "abc,bc->abc replicate bc"
  %2 = graph.rms_norm %x scale %s axis 1 epsilon 1.0e-5 : tensor<4x8x2xf32>, tensor<8x2xf32>
  // CHECK-NEXT: graph.batch_norm {{.*}}sharding.rule = "abc,b,b,b,b->abc"
  %3 = graph.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5
      : tensor<4x8x2xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK-NEXT: graph.group_norm {{.*}}sharding.rule = "a(bd)c,(bd),(bd)->a(bd)c replicate dc size b=2,d=4"
  %4 = graph.group_norm %x, %c, %c groups 2 epsilon 1.0e-5 : tensor<4x8x2xf32>, tensor<8xf32>
  // CHECK-NEXT: graph.group_norm {{.*}}sharding.rule = "abc,b,b->abc replicate bc"
  %5 = graph.group_norm %x, %c, %c groups 1 epsilon 1.0e-5 : tensor<4x8x2xf32>, tensor<8xf32>
  // CHECK-NEXT: graph.group_norm {{.*}}sharding.rule = "abc,b,b->abc replicate c"
  %6 = graph.group_norm %x, %c, %c groups 8 epsilon 1.0e-5 : tensor<4x8x2xf32>, tensor<8xf32>
  return
}

// CHECK-LABEL: func @loss
func.func @loss(%x: tensor<2x4x8xf32>, %t: tensor<2x4xi64>) {
  // CHECK-NEXT: graph.cross_entropy {{.*}}sharding.rule = "abc,ab->ab replicate c"
  %0 = graph.cross_entropy %x, %t ignore -100 : tensor<2x4x8xf32>, tensor<2x4xi64>
  return
}

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<1x4x8x64xf32>, %k: tensor<1x2x8x64xf32>, %e: tensor<1x4x8x64xf32>,
                     %o: tensor<1x1x8x64xf32>, %m: tensor<1x1x8x8xf32>, %n: tensor<1x4x8x8xf32>) {
  // Grouped heads: two members of two groups.
  // CHECK-NEXT: graph.attention {{.*}}sharding.rule = "b(gr)sd,bgtd,bgte->b(gr)se replicate std size r=2"
  %0 = graph.attention %q, %k, %k scale 0.125 causal
      : tensor<1x4x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x2x8x64xf32>
  // CHECK-NEXT: graph.attention {{.*}}sharding.rule = "bgsd,bgtd,bgte->bgse replicate td"
  %1 = graph.attention %q, %e, %e scale 0.125
      : tensor<1x4x8x64xf32>, tensor<1x4x8x64xf32>, tensor<1x4x8x64xf32>
  // CHECK-NEXT: graph.attention {{.*}}sharding.rule = "brsd,b_td,b_te->brse replicate td"
  %2 = graph.attention %q, %o, %o scale 0.125
      : tensor<1x4x8x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>
  // CHECK-NEXT: graph.attention {{.*}}sharding.rule = "bgsd,bgtd,bgte,__st->bgse replicate td"
  %3 = graph.attention %q, %e, %e mask %m scale 0.125
      : tensor<1x4x8x64xf32>, tensor<1x4x8x64xf32>, tensor<1x4x8x64xf32>, tensor<1x1x8x8xf32>
  // CHECK-NEXT: graph.attention {{.*}}sharding.rule = "b(gr)sd,bgtd,bgte,_(gr)st->b(gr)se replicate td size r=2"
  %4 = graph.attention %q, %k, %k mask %n scale 0.125
      : tensor<1x4x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x4x8x8xf32>
  return
}

// Keys and values have the sums over the members of their group, and over queries where these may be cut.
// CHECK-LABEL: func @attention_grad
func.func @attention_grad(%q: tensor<2x4x8x64xf32>, %k: tensor<2x2x8x64xf32>, %o: tensor<2x1x8x64xf32>, %m: tensor<1x1x8x8xf32>) {
  // CHECK-NEXT: graph.attention_grad {{.*}}sharding.rule = "b(gr)sd,bgtd,bgte,b(gr)se->b(gr)sd,bgtd,bgte replicate stde reduce r size r=2"
  %0:3 = graph.attention_grad %q, %k, %k, %q scale 0.125 causal
      : tensor<2x4x8x64xf32>, tensor<2x2x8x64xf32>, tensor<2x2x8x64xf32>, tensor<2x4x8x64xf32>
  // CHECK-NEXT: graph.attention_grad {{.*}}sharding.rule = "bgsd,bgtd,bgte,bgse->bgsd,bgtd,bgte replicate tde reduce s"
  %1:3 = graph.attention_grad %q, %q, %q, %q scale 0.125
      : tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>
  // CHECK-NEXT: graph.attention_grad {{.*}}sharding.rule = "brsd,b_td,b_te,brse->brsd,b_td,b_te replicate tde reduce rs"
  %2:3 = graph.attention_grad %q, %o, %o, %q scale 0.125
      : tensor<2x4x8x64xf32>, tensor<2x1x8x64xf32>, tensor<2x1x8x64xf32>, tensor<2x4x8x64xf32>
  // CHECK-NEXT: graph.attention_grad {{.*}}sharding.rule = "bgsd,bgtd,bgte,bgse,__st->bgsd,bgtd,bgte,__st replicate tde reduce bgs"
  %3:4 = graph.attention_grad %q, %q, %q, %q mask %m scale 0.125 mask_gradient
      : tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<1x1x8x8xf32>
  return
}

// CHECK-LABEL: func @rotary
func.func @rotary(%x: tensor<2x4x8x64xf32>, %c: tensor<1x1x8x32xf32>) {
  // CHECK-NEXT: graph.rotary {{.*}}sharding.rule = "abcd,__ce,__ce->abcd replicate de"
  %0 = graph.rotary %x, %c, %c : tensor<2x4x8x64xf32>, tensor<1x1x8x32xf32>
  return
}
