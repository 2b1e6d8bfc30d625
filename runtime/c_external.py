"""The C text of a block that is computed outside the program: all inputs in a row out, all outputs in a row back."""

from __future__ import annotations

from collections.abc import Callable

from hybsim.runtime.graph import Node, Signal

NO_ANSWER = "what is outside the program gave no answer"
"""What a program says that was started without anybody to ask."""


def external_call(node: Node, storage: Callable[[Signal], str], stop: str) -> list[str]:
    """Statements that fill the outputs of a block, or stop the run."""
    sent = [item for name in node.spec.ins for item in _items(node.inputs[name], storage)]
    filled = [item for name in node.spec.outs for item in _items(node.outputs[name], storage)]
    return [
        f"double hs_out[{max(len(sent), 1)}], hs_in[{len(filled)}];",
        *(f"hs_out[{i}] = {item};" for i, item in enumerate(sent)),
        f"if (HS_UNLIKELY(!hs_outside || hs_outside({node.index}, t, hs_out, hs_in))) {{ {stop} }}",
        *(f"{item} = hs_in[{i}];" for i, item in enumerate(filled)),
    ]


def _items(signal: Signal, storage: Callable[[Signal], str]) -> list[str]:
    text = storage(signal)
    return [f"{text}[{i}]" for i in range(signal.width)] if signal.vector else [text]
