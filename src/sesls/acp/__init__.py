"""An agent of the Agent Client Protocol that knows one thing: which sessions there are.

`wire` is JSON-RPC, `versions` what the two versions of the protocol agree to, `parameters` what a request may say,
`sessions` a session in the protocol's words, `listing` the pages of them, `cursors` where a page starts, `viewer`
what a session with this agent says, `connection` one client, `server` the two streams.
"""
