// SPDX-License-Identifier: Apache-2.0

import RestCommands

/// The program `rest`.
@main
struct RestTool {
    static func main() async { await CommandLineTool.run() }
}
