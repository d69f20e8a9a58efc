// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The containers around a value, found from the front of the tape.
///
/// Keeps its place, so that asking for values in their order passes the tape once.
struct Enclosures {
    struct Container {
        let index: Int
        let end: Int
        let isObject: Bool
        /// Position of the element or member that was entered.
        var position = 0
    }

    /// The containers around the value moved to, outermost first.
    private(set) var containers: [Container] = []
    private var current = 0

    /// - Complexity: O(*n*) in the number of values passed, less what is inside of those.
    mutating func move(to wanted: Int, in root: NodeView) {
        if wanted < current {
            containers = []
            current = 0
        }
        while current < wanted {
            let view = root.at(current)
            if wanted < view.nextIndex {
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
