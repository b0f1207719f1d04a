"""Plugins for inference servers: each dialect as a parser of vLLM, SGLang and verl."""
