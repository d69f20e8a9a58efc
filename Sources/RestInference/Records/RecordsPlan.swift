// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The location of the records in the responses of a resource, decided by the first response with records.
struct RecordsPlan: Sendable {
    /// A second list in the same response.
    struct Side: Sendable {
        let name: String
        let path: DocumentPath
        /// The values of an object are the records.
        let isKeyed: Bool
        /// The records name their type, as in JSON:API.
        let isTyped: Bool
    }

    var path: DocumentPath
    var isKeyed = false
    var wrapper: String?
    var merge: [String] = []
    var sides: [Side] = []
    /// A Boolean value that indicates whether the response is one record.
    var isSingle = false
    /// The reason for the choice.
    var evidence = ""

    /// The location as a part of a definition.
    var definition: RecordsDefinition {
        RecordsDefinition(
            path: path, wrapper: wrapper, merge: merge, isKeyed: isKeyed,
            keyName: isKeyed ? "key" : nil)
    }

    /// Calls a closure with each record of a response, and with its key if the values of an object are
    /// the records.
    func forEachRecord(of root: NodeView, _ body: (NodeView, NodeView?) -> Void) {
        guard let container = root.member(at: path) else { return }
        if isSingle {
            record(container).map { body($0, nil) }
        } else if isKeyed {
            for (key, value) in container.members { record(value).map { body($0, key) } }
        } else {
            for element in container.elements { record(element).map { body($0, nil) } }
        }
    }

    private func record(_ element: NodeView) -> NodeView? {
        let inner = wrapper.map { element.member($0) } ?? element
        return inner?.isObject == true ? inner : nil
    }
}

extension NodeView {
    /// Returns the value at a path of keys.
    func member(at path: DocumentPath) -> NodeView? {
        var view = self
        for case .key(let key) in path.components {
            guard let next = view.member(key) else { return nil }
            view = next
        }
        return view
    }
}
