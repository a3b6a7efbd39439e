"""Doctor: what a process really uses of the bridge, and what is wrong with it, with what mends it.

In the order of the data: `process` reads what the operating system says of the process; `python`,
`mpisides`, `machine`, `gpus`, `folders` and `kernelpacks` each make a section of it; `examination`
joins the sections of this process; `findings` is what they are made of, and its text and JSON;
`host` starts a program like a user's own and has it examined; `command` is `bridge doctor`.
"""
