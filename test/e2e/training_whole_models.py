"""Cases of training that take a whole model."""

import numpy as np

from models import gpt2, mixtral
from training_case import Case, expect
from training_formulas import stored_elements


def _layouts_agree(case, layouts, flags, steps, names, bound=1e-5):
    """Variables whose name contains one of `names` are those of one device; returns the last outcome."""
    reference = case.run(*flags, steps=steps)
    for mesh, strategy in layouts:
        outcome = case.run(*flags, "--mesh", mesh, "--strategy", strategy, steps=steps)
        assert outcome.variables.keys() == reference.variables.keys()
        chosen = [name for name in outcome.variables if any(part in name for part in names)]
        assert chosen, f"no variable is called {names}"
        for name in chosen:
            expect(f"{mesh}/{strategy}: {name}", outcome.variables[name], reference.variables[name], bound)
    return outcome


def case_3_replicated_norms(tools, folder, random):
    """Norms that act on a cut sequence add up their gradient over the ranks: 50 steps are those of one device, and all
    replicas are equal to the last bit behind them, which --check-replicas of every run here compares."""
    config = gpt2.SIZES["tiny"]
    feed = gpt2.inputs(config, random, 2 * 50, 8)
    case = Case(tools, folder, gpt2.build(config, 17), feed, ["input_ids"])
    flags = ("--loss", "causal_lm:logits,input_ids", "--optimizer", "sgd", "--momentum", 0.9, "--lr", 1e-3)
    _layouts_agree(case, [("tensor=2", "tp,sp"), ("tensor=4", "tp,sp"), ("data=2,tensor=2", "zero3,tp,sp")], flags,
                   50, ["ln_1", "ln_2", "ln_f"])


def case_10_unused_experts(tools, folder, random):
    """All tokens go to the same experts: the others get no gradient and only decay; the router's is that of one."""
    config = mixtral.SIZES["tiny"]
    model = mixtral.build(config, 17)
    routers = [name for name in model._parameters if name.endswith("gate.weight")]
    for name in routers:  # Of equal scores the first experts are taken.
        model._parameters[name] = np.zeros_like(model._parameters[name])
    feed = mixtral.inputs(config, random, 4, 6)
    case = Case(tools, folder, model, feed, list(feed))
    flags = ("--loss", "causal_lm:logits,input_ids", "--optimizer", "adamw", "--lr", 0.01, "--weight-decay", 0.1,
             "--freeze", "*inv_freq*")
    outcome = _layouts_agree(case, [("data=2", "zero3"), ("data=2,tensor=2", "zero2,tp"), ("data=4", "ddp")], flags, 1,
                             ["gate.weight."])
    for name, value in model._parameters.items():
        if ".experts.2." in name or ".experts.3." in name:
            expect(name, outcome.variables[name], value * (1 - 0.01 * 0.1), 1e-6)
            states = [state for state in outcome.variables if state.startswith(name + ".")]
            assert len(states) == 2 and not any(np.any(outcome.variables[state]) for state in states), states
    assert any(np.any(outcome.variables[name] != 0) for name in routers), "routers do not move"


def case_13_frozen_embedding(tools, folder, random):
    """A frozen table has no gradient and no state, is gathered under zero3, and stays in the checkpoint."""
    config = gpt2.SIZES["tiny"]
    model = gpt2.build(config, 17)
    feed = gpt2.inputs(config, random, 4 * 3, 8)
    case = Case(tools, folder, model, feed, ["input_ids"])
    flags = ("--loss", "causal_lm:logits,input_ids", "--freeze", "*wte*,*wpe*")
    outcome = _layouts_agree(case, [("data=2", "zero1"), ("data=3", "zero3")], flags, 3, ["c_fc.weight", "c_proj"])
    tables = [name for name in model._parameters if "wte" in name or "wpe" in name]
    assert len(tables) == 2
    for name in tables:
        assert np.array_equal(outcome.variables[name], model._parameters[name]), name
        assert not any(other.startswith(name + ".") for other in outcome.variables), name
    trained = [value.shape for name, value in model._parameters.items()
               if value.dtype == np.float32 and value.size > 1 and name not in tables]
    moved = {line["collective"]: line["payload_bytes"] for line in outcome.compiled["wire"]}
    expect("reduced", moved["reduce_scatter"], 4 * sum(stored_elements(shape, 3) for shape in trained), 0)
    whole = 4 * sum(stored_elements(shape, 3) for shape in
                    [*trained, *(model._parameters[name].shape for name in tables)])
    assert moved["all_gather"] >= whole, (moved, whole)
