// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension Workload {
    /// The workloads that read, compare and write documents.
    static let document = ordinary + adversarial

    // MARK: Ordinary

    private static let ordinary = [
        Workload("parse", collection) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("parse coordinates", coordinates) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("read every value", collection) { bytes in
            let document = try Document(parsing: bytes)
            return { document.withView { readEverything($0, document.nodeCount) } }
        },
        Workload("write", collection) { bytes in
            let document = try Document(parsing: bytes)
            return { use(JSONWriter.compact.bytes(of: document)) }
        },
        Workload("write indented and sorted", collection) { bytes in
            let document = try Document(parsing: bytes)
            let writer = JSONWriter(layout: .pretty(indentation: 2), sortsKeys: true)
            return { use(writer.bytes(of: document)) }
        },
        Workload("compare", collection) { bytes in
            let (left, right) = (try Document(parsing: bytes), try Document(parsing: bytes))
            return { use(left == right) }
        },
        Workload("find repeated keys", { keys(randomKey) }) { bytes in
            let document = try Document(parsing: bytes)
            return { use(document.issues) }
        },
    ]

    static func collection() -> String { GeneratedCollection(articleCount: 1000).json }

    private static func coordinates() -> String {
        let points = (0..<20_000).map { number in
            "[-\(number % 180).\(number * 7919 % 1_000_000),\(number % 90).\(number * 104_729)]"
        }
        return "[\(points.joined(separator: ","))]"
    }

    private static func readEverything(_ root: NodeView, _ nodeCount: Int) {
        for index in 0..<nodeCount {
            let value = root.at(index)
            switch value.kind {
            case .string, .escapedString: use(value.string())
            case .integer: use(value.int64)
            case .double: use(value.double)
            default: use(value.bool)
            }
        }
    }

    // MARK: Adversarial

    // Compared with "parse", they show the amplification of hostile input.
    private static let adversarial = [
        Workload("parse nested arrays", { nested("[", "]") }) { bytes in
            { use(try Document(parsing: bytes, limits: .none)) }
        },
        Workload("parse nested objects", { nested(#"{"":"#, "}") }) { bytes in
            { use(try Document(parsing: bytes, limits: .none)) }
        },
        Workload("parse empty arrays", { list("[]") }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("parse digits", { list("7") }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("parse escapes", { list(#""\u00e9\ud83d\ude00\n""#) }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        // Halfway between two doubles; only the last digit decides the rounding.
        Workload("parse undecided numbers", { list("9007199254740993.000000000000001") }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("parse undecided long numbers", { list(undecidedDigits, count: 1000) }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        // Short numbers with large powers of five.
        Workload("parse undecided small numbers", { list("22250738585072011360e-327") }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("parse plain text", { "\"\(letters)\"" }) { bytes in
            { use(try Document(parsing: bytes)) }
        },
        Workload("read a form", { form { "name\($0)=value" } }) { bytes in
            { use(try FormFormat().read(bytes)) }
        },
        Workload("read a form of one name", { form { _ in "name=value" } }) { bytes in
            { use(try FormFormat().read(bytes)) }
        },
        Workload("read a long number", { String(repeating: "7", count: 1_000_000) }) { bytes in
            {
                let number = try Document(parsing: bytes).root
                use((number.int64, number.uint64, number.double, number.decimal))
            }
        },
        Workload("refuse the last byte", { list("1") + "x" }) { bytes in
            { use(try? Document(parsing: bytes)) }
        },
        Workload("refuse deep in objects", { String(nested(#"{"k":"#, "").dropLast()) }) { bytes in
            { use(try? Document(parsing: bytes, limits: .none)) }
        },
        Workload("find repeated crafted keys", { keys(craftedKey) }) { bytes in
            let document = try Document(parsing: bytes)
            return { use(document.issues) }
        },
    ]

    private static func list(_ element: String, count: Int = 20_000) -> String {
        "[\(Array(repeating: element, count: count).joined(separator: ","))]"
    }

    private static var undecidedDigits: String {
        "9007199254740993.\(String(repeating: "0", count: 783))1"
    }

    private static let letters = String(repeating: "x", count: 1_000_000)

    private static func form(_ pair: (Int) -> String) -> String {
        (0..<20_000).map(pair).joined(separator: "&")
    }

    private static func nested(_ open: String, _ close: String) -> String {
        String(repeating: open, count: 100_000) + "1" + String(repeating: close, count: 100_000)
    }

    private static func keys(_ key: (Int) -> String) -> String {
        "{\((0..<20_000).map { "\"\(key($0))\":1" }.joined(separator: ","))}"
    }

    /// Creates keys that collide under the unseeded hash h × 31 + c.
    private static func craftedKey(_ number: Int) -> String {
        (0..<15).map { number >> $0 & 1 == 0 ? "Aa" : "BB" }.joined()
    }

    /// Creates keys of the same length without a pattern.
    private static func randomKey(_ number: Int) -> String {
        var state = UInt64(number)
        return String(
            decoding: (0..<30).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(97 + state >> 60)
            }, as: UTF8.self)
    }
}
