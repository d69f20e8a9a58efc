// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// A comparison with Foundation's parser on public documents.
@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct CorpusTests {
    static let files = ((try? SharedFiles.files(in: "corpus", suffix: ".json")) ?? [])
        .filter { (try? SharedFiles.data($0).count).map { $0 < 1_000_000 } == true }

    @Test(arguments: files)
    func matchesFoundation(_ path: String) throws {
        let data = try SharedFiles.data(path)
        let document = try Document(parsing: [UInt8](data))
        let object = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        expectSame(document.root, object)
        for text in [JSONWriter.compact, .pretty, JSONWriter(sortsKeys: true)] {
            #expect(try Document(parsing: text.bytes(of: document)) == document)
        }
        #expect(document.issues.isEmpty)
    }

    private func expectSame(_ node: Node, _ object: Any) {
        switch (node.kind, object) {
        case (.null, is NSNull): break
        case (.boolean, let value as Bool): #expect(node.bool == value)
        case (.number, let value as NSNumber): #expect(node.double == value.doubleValue)
        case (.string, let value as String): #expect(node.string == value)
        case (.array, let values as [Any]):
            #expect(node.count == values.count)
            for (element, value) in zip(node.elements, values) { expectSame(element, value) }
        case (.object, let values as [String: Any]):
            #expect(node.count == values.count)
            for (key, member) in node.members {
                if let value = values[key] {
                    expectSame(member, value)
                } else {
                    Issue.record("no \(key) at \(node.path)")
                }
            }
        default: Issue.record("\(node.path) is \(node.kind)")
        }
    }
}
