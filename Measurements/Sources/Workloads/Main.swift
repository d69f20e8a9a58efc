// SPDX-License-Identifier: Apache-2.0

/// A program that lists the workloads, or runs one pass of the named one and prints its byte count.
@main
enum Main {
    static func main() throws {
        guard let name = CommandLine.arguments.dropFirst().first else {
            for workload in Workload.all { print(workload.name) }
            return
        }
        guard let workload = Workload.all.first(where: { $0.name == name }) else {
            fatalError("no workload is called \(name)")
        }
        let (byteCount, pass) = try workload.prepare()
        // One-time work, such as building tables, is excluded from the count.
        try pass()
        try countedPass(pass)
        print(byteCount)
    }
}
