// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The containers around a value, found by scanning the tape from its beginning.
///
/// The stack keeps its position: moving to values in document order scans the tape once.
struct AncestorStack {
    struct Container {
        let index: Int
        let end: Int
        private(set) var isObject: Bool
        /// The position of the element or member that was entered.
        var position = 0

        init(index: Int, end: Int, isObject: Bool) {
            self.index = index
            self.end = end
            self.isObject = isObject
        }

        /// This container as a list.
        var asList: Container {
            var list = self
            list.isObject = false
            return list
        }
    }

    /// The containers around the current value, outermost first.
    private(set) var containers: [Container] = []
    private var current = 0

    /// Moves to the value at an index.
    ///
    /// - Complexity: O(*n*) in the number of values in between, without the content of containers that
    ///   are skipped.
    mutating func move(to target: Int, in root: NodeView) {
        if target < current {
            containers = []
            current = 0
        }
        while current < target {
            let view = root.at(current)
            if target < view.nextIndex {
                containers.append(
                    Container(index: current, end: view.nextIndex, isObject: view.isObject))
                current += view.isObject ? 2 : 1
                continue
            }
            current = view.nextIndex
            while let last = containers.last, current >= last.end { containers.removeLast() }
            guard let last = containers.indices.last else { return }
            containers[last].position += 1
            if containers[last].isObject { current += 1 }
        }
    }
}
