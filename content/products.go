package content

import (
	"strings"
	"unicode"
)

// productNames returns the names that date an item: what is true of them
// changes with their releases. Names that are also plain words of the trade,
// such as Spark or Ray, are left out, and so are languages.
func productNames() map[string]bool {
	const list = "PyTorch torch TensorFlow JAX XLA Keras CUDA cuDNN cuBLAS NCCL ROCm TorchInductor AOTInductor TorchDynamo torchao ExecuTorch " +
		"vLLM SGLang TGI TensorRT ONNX OpenVINO CoreML GGUF llama.cpp bitsandbytes AutoGPTQ FlashAttention FlashInfer " +
		"LangChain LangGraph LlamaIndex AutoGen CrewAI DSPy MCP OpenAI Anthropic GPT ChatGPT Claude Gemini Gemma Llama Mistral Mixtral Qwen DeepSeek " +
		"DeepSpeed Megatron FSDP2 Kubernetes KServe Kafka Flink Airflow Dagster MLflow Kubeflow DVC SageMaker Databricks BigQuery Snowflake " +
		"PostgreSQL Postgres pgvector Redis FAISS Milvus Pinecone Weaviate Qdrant Elasticsearch OpenSearch " +
		"scikit-learn sklearn XGBoost LightGBM CatBoost pandas NumPy Polars SciPy OpenTelemetry Prometheus Grafana " +
		"A100 H100 H200 B100 B200 GB200 L40S V100 MI300X RTX"
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[name] = true
	}
	return names
}

// productIn returns a name in s whose facts age, or "". It also finds a name
// with a version or a member after it: Qwen2.5, GPT-4o, torch.compile.
func (p patterns) productIn(s string) string {
	for _, phrase := range []string{"Hugging Face", "Vertex AI", "Core ML", "Model Context Protocol"} {
		if strings.Contains(s, phrase) {
			return phrase
		}
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-'
	}) {
		word = strings.Trim(word, ".-")
		head := word
		if k := strings.IndexAny(word, ".-"); k > 0 {
			head = word[:k]
		}
		for _, name := range []string{word, head, strings.TrimSuffix(head, "s"), strings.TrimRight(head, "0123456789")} {
			if p.products[name] {
				return name
			}
		}
	}
	return ""
}
