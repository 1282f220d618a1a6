"""An agent of the Agent Client Protocol that knows one thing: which sessions there are.

`wire` is JSON-RPC, `versions` what the two versions of the protocol agree to, `parameters` what a request may say,
`listing` the pages of sessions, `viewer` what a session of this agent answers, `connection` one client's requests,
`server` the two streams.
"""
