// Names of fields and values of the Responses wire that say nothing by themselves.

export const wireTerms: ReadonlySet<string> = new Set(
  (
    "input instructions include truncation background conversation previous_response_id max_output_tokens max_tool_calls " +
    "safety_identifier service_tier text.format verbosity effort summary generate_summary encrypted_content output status " +
    "call_id annotations file_url message input_text output_text summary_text reasoning_text input_image input_file " +
    "function_call_output custom_tool_call custom_tool_call_output item_reference in_progress completed incomplete disabled " +
    "reasoning.encrypted_content message.output_text.logprobs web_search_call.action.sources allowed_tools mode grammar " +
    "url_citation file_citation file_path container_file_citation container_id " +
    "syntax definition lark regex"
  ).split(" "),
)

/** Earlier turns and stored prompts. */
export const references: ReadonlySet<string> = new Set(["previous_response_id", "conversation", "prompt"])
