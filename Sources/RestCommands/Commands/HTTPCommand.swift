// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RestKit

/// `rest http`.
struct HTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "Sends requests that other programs write, through a private cache.",
        discussion: """
            Reads one JSON object a line from standard input and writes one a line to standard \
            output, in the same order. A request is sent when the answer before it is complete, \
            so that it finds what that left in the cache; run several processes for more at once. \
            The cache is in memory, obeys RFC 9111 as a private cache and ends with the process.

            A line in:
              {"method": "GET", "url": "http://localhost:8080/a", "headers": {"accept": "*/*"}}
              method      the method, GET if absent
              url         the absolute address
              headers     an object, where a list of texts stands for several lines of one name, \
            or a list of [name, value] pairs
              body        a text; or bodyBase64, any bytes in base64
              redirect    "follow" or "manual"; manual unless --follow-redirects
              cache       "default", "no-cache", "reload", "no-store", "force-cache" or \
            "only-if-cached", as in the Fetch standard
              principal   whose request it is; what is stored for one answers no other

            A line out:
              {"status": 200, "headers": {"content-type": "text/plain"}, "body": "text", …}
              headers     names in lower case; pairs, one for each line received, if the request \
            had pairs, else an object, where values of one name are joined by a comma and a blank \
            (of set-cookie they are a list)
              body        the body; null if it is not UTF-8, then bodyBase64 has it
              source      "network", "cache", "stale", "revalidated" or "unavailable" (a 504 that \
            was made here); age in seconds for "cache" and "stale"
              url         the address that answered, if redirects were followed
            or, when there is no response, {"error": "why"}. A wrong line does not end the process.

            A token comes from a file or from the environment, never from an argument, which all \
            users of a machine can read; no other process is started. Lines that bring an \
            Authorization field keep theirs.

            EXIT CODES: 0 at the end of the input, 1 if there is no token where one is wanted, 64 for wrong arguments, 130 after Ctrl-C.

            EXAMPLES:
              echo '{"url": "http://localhost:8080/"}' | rest http
              rest http --token-origin https://api.example --token-file token < requests
            """)

    @Flag(help: "Follow redirects unless a line says \"manual\".")
    var followRedirects = false

    @OptionGroup(title: "TOKEN")
    var token: TokenOptions

    func run() async throws {
        let console = Console.standard()
        let relay = Relay(client: try token.client(), followsRedirects: followRedirects)
        do {
            try await Interruption.guarding {
                for await line in InputLines.ofProcess() where !line.isEmpty {
                    try Task.checkCancellation()
                    console.print(await relay.answer(to: line))
                }
                try Task.checkCancellation()
            }
        } catch let interruption as Interruption {
            throw ExitCode(interruption.exitCode)
        }
    }
}
