"""The description of the API for programs (OpenAPI 3.1), and what its page shows."""

from __future__ import annotations

from typing import Any

_NUMBER = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}}
_TOKEN: list[dict[str, list[str]]] = [{"token": []}]
_ERRORS = {
    "400": "not taken: the reason is in `error`",
    "401": "no valid token",
    "404": "not there, or not yours",
    "413": "too large",
    "429": "too many tokens that are not valid",
}


def _answers(first: tuple[str, str, str], *errors: str) -> dict[str, Any]:
    status, text, schema = first
    found: dict[str, Any] = {status: _json(text, schema)}
    return found | {code: _json(_ERRORS[code], "Error") for code in errors}


def _json(text: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": text, "content": content}


def _text(*names: str) -> dict[str, Any]:
    return {name: {"type": "string"} for name in names}


def description(version: str) -> dict[str, Any]:
    """The description of the API as plain values."""
    upload = {
        "type": "object",
        "required": ["file"],
        "properties": {
            "file": {"type": "string", "format": "binary", "description": "a Python file, or a zip, tar or tar.gz"},
            "name": {"type": "string", "description": "of the bot; default: the file's"},
            "entry": {"type": "string", "description": "the bot in an archive, such as bot.py:depth=2"},
            "again": {"type": "string", "description": "true: check refused content once more"},
        },
    }
    submission = {
        "type": "object",
        "properties": _text("bot", "author", "state", "reason", "waits", "entry", "hash")
        | {"id": {"type": "integer"}, "version": {"type": "integer"}, "held": {"type": "boolean"}}
        | {"ahead": {"type": ["integer", "null"]}, "submitted": {"type": "number"}}
        | {"decided": {"type": ["number", "null"]}, "warnings": {"type": "array", "items": {"type": "string"}}},
    }
    standings = {
        "type": "object",
        "properties": {"league": {"type": "string"}, "games": {"type": "integer"}, "settings": {"type": "object"}}
        | {"standings": {"type": "array", "items": {"type": "object"}}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "A league of bots", "version": version},
        "servers": [{"url": "."}],
        "paths": {
            "/standings": {
                "get": {
                    "summary": "The table as it was a moment ago, as `arena standings --json` prints it.",
                    "responses": _answers(("200", "the table", "Standings")),
                }
            },
            "/submissions": {
                "post": {
                    "summary": "Submit a bot. It is stored before the answer comes.",
                    "security": _TOKEN,
                    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": upload}}},
                    "responses": _answers(("202", "in the queue", "Submission"), "400", "401", "413", "429"),
                }
            },
            "/submissions/{number}": {
                "get": {
                    "summary": "How far a submission of yours has come.",
                    "security": _TOKEN,
                    "parameters": [_NUMBER],
                    "responses": _answers(("200", "how far it has come", "Submission"), "401", "404", "429"),
                }
            },
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Submission": submission,
                "Standings": standings,
                "Error": {"type": "object", "properties": _text("error"), "required": ["error"]},
            },
        },
    }
