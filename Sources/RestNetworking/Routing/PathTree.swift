// SPDX-License-Identifier: Apache-2.0

/// Path patterns in a tree of segments, so that the patterns that may match a path are found without
/// looking at the others.
///
/// Literal segments are found by hash. A segment with parameters is compared by the text before its
/// first and after its last parameter, so the patterns that the tree returns still have to be
/// matched.
struct PathTree: Sendable {
    private struct Node: Sendable {
        var literals: [ArraySlice<UInt8>: Int] = [:]
        var variables: [(segment: PathPattern.Segment, node: Int)] = []
        /// The values of the patterns that end here.
        var values: [Int] = []
    }

    private var nodes = [Node()]

    /// Adds a value for the paths that match a pattern.
    mutating func insert(_ value: Int, at pattern: PathPattern) {
        var node = 0
        for segment in pattern.segments {
            node = child(of: node, for: segment)
        }
        nodes[node].values.append(value)
    }

    private mutating func child(of node: Int, for segment: PathPattern.Segment) -> Int {
        let known =
            segment.hasParameter
            ? nodes[node].variables.first { $0.segment == segment }?.node
            : nodes[node].literals[segment.prefix[...]]
        if let known { return known }
        let child = nodes.count
        nodes.append(Node())
        if segment.hasParameter {
            nodes[node].variables.append((segment, child))
        } else {
            nodes[node].literals[segment.prefix[...]] = child
        }
        return child
    }

    /// Calls a closure with the values of all patterns that may match a path.
    ///
    /// - Complexity: O(*n*) in the length of the path, for each pattern whose literal segments are
    ///   those of the path; independent of the number of other patterns.
    func forEachCandidate(for path: NormalizedPath, _ body: (Int) -> Void) {
        visit(0, path.bytes, from: 0, body)
    }

    private func visit(_ node: Int, _ path: [UInt8], from start: Int, _ body: (Int) -> Void) {
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        let segment = path[start..<end]
        func descend(to child: Int) {
            if end < path.count {
                visit(child, path, from: end + 1, body)
            } else {
                nodes[child].values.forEach(body)
            }
        }
        if let child = nodes[node].literals[segment] { descend(to: child) }
        for (variable, child) in nodes[node].variables where variable.mayMatch(segment) {
            descend(to: child)
        }
    }
}

extension PathPattern {
    /// A part of a pattern between two slashes.
    struct Segment: Sendable, Hashable {
        /// The text before the first parameter, or the whole segment.
        var prefix: [UInt8] = []
        /// The text after the last parameter.
        var suffix: [UInt8] = []
        var hasParameter = false

        /// Returns a Boolean value that indicates whether a segment of a path begins and ends like
        /// this one; `true` for every segment that matches.
        func mayMatch(_ segment: ArraySlice<UInt8>) -> Bool {
            guard hasParameter else { return segment.elementsEqual(prefix) }
            return segment.count > prefix.count + suffix.count && segment.starts(with: prefix)
                && segment.suffix(suffix.count).elementsEqual(suffix)
        }
    }

    /// The parts between slashes, of which there is at least one.
    var segments: [Segment] {
        var segments = [Segment()]
        for piece in pieces {
            switch piece {
            case .parameter:
                segments[segments.count - 1].hasParameter = true
                segments[segments.count - 1].suffix = []
            case .literal(let range):
                for byte in literals[range] {
                    if byte == UInt8(ascii: "/") {
                        segments.append(Segment())
                    } else if segments[segments.count - 1].hasParameter {
                        segments[segments.count - 1].suffix.append(byte)
                    } else {
                        segments[segments.count - 1].prefix.append(byte)
                    }
                }
            }
        }
        return segments
    }
}
