// Where axes came from, also through a loop.
// RUN: shard-opt %s --sharding-propagate=explain -verify-diagnostics -o %t

dist.mesh @m <["x"=2]>
// expected-remark @+1 {{result 0 dim 0 has {"x"} from dim 0 of argument 0, last through the same value}}
func.func @loop(%a: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  // expected-remark @+1 {{result 0 of graph.loop dim 0 has {"x"} from dim 0 of argument 0, last through the same value}}
  %r = graph.loop 4(%a) : (tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{carried value 0 of graph.loop dim 0 has {"x"} from dim 0 of argument 0, last through the same value}}
  ^bb0(%i: tensor<i64>, %s: tensor<8xf32>):
    // expected-remark @+1 {{result 0 of graph.binary dim 0 has {"x"}}}
    %0 = graph.binary add %s, %s : tensor<8xf32>
    graph.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
