// Names of fields and values of the Messages wire that say nothing by themselves.

export const wireTerms: ReadonlySet<string> = new Set(
  (
    "system source media_type input input_schema tool_use_id is_error thinking signature budget_tokens stop_sequences user_id " +
    "output_config effort context_management edits citations title context enabled ttl disable_parallel_tool_use tool_use " +
    "document disabled adaptive display summarized omitted xhigh max 5m 1h " +
    "image/png image/jpeg image/gif image/webp application/pdf text/plain"
  ).split(" "),
)
