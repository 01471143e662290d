// Names of fields and values of the Messages wire that say nothing by themselves.

export const wireTerms: ReadonlySet<string> = new Set(
  (
    "system source media_type input input_schema tool_use_id is_error thinking signature budget_tokens stop_sequences user_id " +
    "output_config effort context_management edits citations title context enabled ttl disable_parallel_tool_use tool_use " +
    "document disabled adaptive display summarized omitted xhigh max 5m 1h " +
    "cited_text document_index document_title start_char_index end_char_index start_page_number end_page_number url " +
    "start_block_index end_block_index search_result_index encrypted_index char_location page_location content_block_location " +
    "web_search_result_location search_result_location " +
    "image/png image/jpeg image/gif image/webp application/pdf text/plain"
  ).split(" "),
)

/** Files and skills that a container of the backend has. */
export const references: ReadonlySet<string> = new Set(["container"])
