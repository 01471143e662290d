"""OpenAI's client through the router, on a backend of each protocol: chat completions and Responses."""

import asyncio
import json

from openai import AsyncOpenAI, OpenAI, pydantic_function_tool
from pydantic import BaseModel

from checks import CITIES, KEY, ORIGIN, PNG, WEATHER, WEATHER_SCHEMA, caught, has_first, run, wait_for

client = OpenAI(base_url=f"{ORIGIN}/v1", api_key=KEY, max_retries=0)


class City(BaseModel):
    city: str
    people: int


class weather(BaseModel):
    """Tells the weather."""

    city: str


def user(text):
    return [{"role": "user", "content": text}]


def chat(model):
    raw = client.chat.completions.with_raw_response.create(model=model, messages=user("hello"))
    reply = raw.parse()
    choice = reply.choices[0]
    return [
        choice.message.content,
        choice.finish_reason,
        reply.usage.total_tokens,
        raw.headers["x-selected-model"],
        raw.headers["x-rtr-cost"],
        reply.routing_metadata["selected_model"],
    ]


def chat_stream(model):
    stream = client.chat.completions.create(
        model=model, messages=user("hold"), stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for chunk in stream:
        for choice in chunk.choices:
            if choice.delta.content:
                if text == "":
                    has_first(model)
                text += choice.delta.content
        usage = chunk.usage or usage
    return [text, usage.total_tokens]


def chat_tools(model):
    """The whole loop, with the helper that puts the pieces of a stream together."""
    messages = user(WEATHER)
    for _ in range(3):
        with client.chat.completions.stream(
            model=model, messages=messages, tools=[pydantic_function_tool(weather)], parallel_tool_calls=True
        ) as stream:
            message = stream.get_final_completion().choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for call in message.tool_calls:
            result = CITIES[call.function.parsed_arguments.city]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def chat_parse(model):
    reply = client.chat.completions.parse(model=model, messages=user("city"), response_format=City)
    return reply.choices[0].message.parsed.model_dump()


def chat_image(model):
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    ]
    return client.chat.completions.create(model=model, messages=user(parts)).choices[0].message.content


def chat_abort(model):
    with client.chat.completions.create(model=model, messages=user("hold"), stream=True) as stream:
        for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                break
    wait_for("left")
    return "left"


def responses(model):
    raw = client.responses.with_raw_response.create(model=model, input="hello", instructions="Be kind.")
    reply = raw.parse()
    return [reply.output_text, reply.status, reply.usage.total_tokens, raw.headers["x-selected-model"]]


def responses_stream(model):
    text, types = "", []
    for event in client.responses.create(model=model, input="hold", stream=True):
        types.append(event.type)
        if event.type == "response.output_text.delta":
            if text == "":
                has_first(model)
            text += event.delta
    return [text, types[0], types[-1]]


def responses_tools(model):
    items = user(WEATHER)
    tool = {"type": "function", "name": "weather", "parameters": WEATHER_SCHEMA, "strict": True}
    for _ in range(3):
        with client.responses.stream(model=model, input=items, tools=[tool], store=False) as stream:
            reply = stream.get_final_response()
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        items += reply.output
        for call in calls:
            result = CITIES[json.loads(call.arguments)["city"]]
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})


def responses_parse(model):
    return client.responses.parse(model=model, input="city", text_format=City).output_parsed.model_dump()


def responses_image(model):
    parts = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PNG}"},
    ]
    return client.responses.create(model=model, input=user(parts)).output_text


def responses_abort(model):
    with client.responses.create(model=model, input="hold", stream=True) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                break
    wait_for("left")
    return "left"


def asynchronous(model):
    """Several at once, a stream, and a task that is cancelled while it waits for a whole reply."""

    async def work():
        async with AsyncOpenAI(base_url=f"{ORIGIN}/v1", api_key=KEY, max_retries=0) as client:
            several = [client.chat.completions.create(model=model, messages=user("hello")) for _ in range(5)]
            texts = {reply.choices[0].message.content for reply in await asyncio.gather(*several)}
            text = ""
            async for event in await client.responses.create(model=model, input="stream", stream=True):
                text += event.delta if event.type == "response.output_text.delta" else ""
            waiting = client.chat.completions.create(model=model, messages=user("hold"), timeout=60)
            task = asyncio.create_task(waiting)
            await asyncio.to_thread(wait_for, "asked")
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await asyncio.to_thread(wait_for, "left")
            return [*texts, text, task.cancelled()]

    return asyncio.run(work())


def seen_of(error):
    status = getattr(error, "status_code", None)
    headers = error.response.headers if status else {}
    return [type(error).__name__, status, headers.get("retry-after"), bool(getattr(error, "request_id", None))]


def errors(model):
    def ask(text="hello", client=client, **options):
        return lambda: client.chat.completions.create(**{"model": model, "messages": user(text), **options})

    refused = caught(ask("status 400 retry-after 7"))
    return {
        "said": [refused.message, refused.body["message"], refused.request_id == refused.body["details"]["request_id"]],
        "400": seen_of(refused),
        "401": seen_of(caught(ask(client=client.with_options(api_key="wrong")))),
        "404": seen_of(caught(ask(model=f"no-{model}"))),
        "429": seen_of(caught(ask("status 429 retry-after 7"))),
        "500": seen_of(caught(ask("status 500 retry-after 7"))),
        "503": seen_of(caught(ask("status 503 retry-after 7"))),
        "bad": seen_of(caught(ask(extra_body={"messages": "none"}))),
        "broken": seen_of(caught(lambda: list(ask("break", stream=True)()))),
        # Here an error is an event, with the vendor's own service too.
        "broken response": list(client.responses.create(model=model, input="break", stream=True))[-1].type,
        "responses 429": seen_of(caught(lambda: client.responses.create(model=model, input="status 429 retry-after 7"))),
    }


def retries(model):
    """The client tries again after 429, as it does without a router."""
    patient = client.with_options(max_retries=1)
    return seen_of(caught(lambda: patient.chat.completions.create(model=model, messages=user("status 429 please"))))


def models(model):
    return client.models.retrieve(model).id in [each.id for each in client.models.list()]


run(
    chat,
    chat_stream,
    chat_tools,
    chat_parse,
    chat_image,
    chat_abort,
    responses,
    responses_stream,
    responses_tools,
    responses_parse,
    responses_image,
    responses_abort,
    asynchronous,
    errors,
    retries,
    models,
)
