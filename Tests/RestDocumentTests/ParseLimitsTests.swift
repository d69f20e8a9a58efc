// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite struct ParseLimitsTests {
    /// A limit with input at the limit and input that exceeds it by one.
    struct Bound: Sendable, CustomTestStringConvertible {
        let name: String
        let limits: ParseLimits
        let passing: String
        let failing: String
        let path: DocumentPath

        init(
            _ name: String, passing: String, failing: String, at path: DocumentPath = "",
            _ set: (inout ParseLimits) -> Void
        ) {
            self.name = name
            var limits = ParseLimits.default
            set(&limits)
            self.limits = limits
            self.passing = passing
            self.failing = failing
            self.path = path
        }

        var testDescription: String { name }
    }

    static let bounds: [Bound] = [
        Bound("bytes", passing: "[12]", failing: "[123]") { $0.byteCount = 4 },
        Bound("depth of arrays", passing: "[[[]]]", failing: "[[[[]]]]", at: "[0][0][0]") {
            $0.depth = 3
        },
        Bound(
            "depth of objects", passing: #"{"a":{"b":1}}"#, failing: #"{"a":{"b":{}}}"#, at: "a.b"
        ) { $0.depth = 2 },
        Bound("string", passing: #"["123"]"#, failing: #"["1234"]"#, at: "[0]") {
            $0.stringByteCount = 3
        },
        Bound("key", passing: #"{"123":1}"#, failing: #"{"1234":1}"#) { $0.stringByteCount = 3 },
        Bound(
            "members", passing: #"[{"a":1,"b":2}]"#, failing: #"[{"a":1,"b":2,"c":3}]"#, at: "[0]"
        ) { $0.memberCount = 2 },
        Bound("nodes", passing: "[1,2,3]", failing: "[1,2,3,4]") { $0.nodeCount = 4 },
        Bound("keys as nodes", passing: #"{"a":1,"b":2}"#, failing: #"{"a":1,"b":[2]}"#) {
            $0.nodeCount = 5
        },
        Bound(
            "a hundred nodes",
            passing: "[\(Array(repeating: "1", count: 99).joined(separator: ","))]",
            failing: "[\(Array(repeating: "1", count: 9900).joined(separator: ","))]"
        ) { $0.nodeCount = 100 },
    ]

    @Test(arguments: bounds)
    func enforcesEachLimitAtItsValue(_ bound: Bound) throws {
        _ = try Document(parsing: bound.passing, limits: bound.limits)
        let error = #expect(throws: DocumentError.self) {
            try Document(parsing: bound.failing, limits: bound.limits)
        }
        #expect(error?.code == .limitExceeded)
        if !bound.name.contains("nodes") { #expect(error?.path == bound.path) }
    }

    /// The text of one level of nesting.
    struct Nesting: Sendable {
        let open: String
        let close: String
        let levels: Int
    }

    static let nestings = [
        Nesting(open: "[", close: "]", levels: 1), Nesting(open: #"{"k":"#, close: "}", levels: 1),
        Nesting(open: #"[{"k":"#, close: "}]", levels: 2),
        Nesting(open: #"{"a":1,"k":[2,"#, close: "]}", levels: 2),
    ]

    @Test(.threat("T01"), arguments: nestings)
    func enforcesDepthForEveryNesting(_ nesting: Nesting) throws {
        let unit = nesting.levels
        func text(_ depth: Int) -> String {
            String(repeating: nesting.open, count: depth / unit) + "1"
                + String(repeating: nesting.close, count: depth / unit)
        }
        var limits = ParseLimits.default
        #expect(limits.depth == 512)
        for limit in [512, 2, 64, 4096] {
            limits.depth = limit
            // The largest accepted depth, found by bisection.
            var (accepted, rejected) = (0, 4 * limit)
            while rejected - accepted > unit {
                let depth = (accepted + rejected) / 2 / unit * unit
                if (try? Document(parsing: text(depth), limits: limits)) == nil {
                    rejected = depth
                } else {
                    accepted = depth
                }
            }
            #expect(accepted == limit)
            let error = #expect(throws: DocumentError.self) {
                try Document(parsing: text(rejected), limits: limits)
            }
            #expect(error?.code == .limitExceeded)
            #expect(error?.offset == nesting.open.utf8.count * (limit / unit))
            #expect(error?.expected.contains("\(limit)") == true)
            #expect(error?.path.components.count == min(limit, 512))
        }
        _ = try Document(parsing: text(512))
        #expect(throws: DocumentError.self) { try Document(parsing: text(512 + unit)) }
    }
}
