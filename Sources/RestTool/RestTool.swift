// SPDX-License-Identifier: Apache-2.0

@main
struct RestTool {
    static func main() {}
}
