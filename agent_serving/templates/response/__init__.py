"""Response templates, by which transformers, vLLM and SGLang read what a model wrote."""
