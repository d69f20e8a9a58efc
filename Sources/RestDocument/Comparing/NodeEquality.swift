// SPDX-License-Identifier: Apache-2.0

extension Node: Hashable {
    /// Returns a Boolean value that indicates whether two values are equal in meaning.
    ///
    /// Objects compare by key, whatever the order, with the last value of a repeated key. Numbers
    /// compare by exact value, so that `1` equals `1.0` and `10e-1`. Strings compare by their
    /// unescaped bytes.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values, without recursion.
    public static func == (left: Node, right: Node) -> Bool {
        left.withView { leftView in
            right.withView { rightView in areEqual(leftView, rightView) }
        }
    }

    /// Hashes the properties that equal values share.
    ///
    /// An object contributes only its kind.
    public func hash(into hasher: inout Hasher) {
        withView { root in
            var index = root.index
            repeat {
                let view = root.at(index)
                hasher.combine(NodeKind(view.kind))
                switch view.kind {
                case .null: break
                case .true: hasher.combine(true)
                case .false: hasher.combine(false)
                case .string, .escapedString:
                    // Invariant: the bytes are hashed inside the closure in which they are valid.
                    unsafe view.withTextBytes { text in
                        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(text))
                    }
                case .array: hasher.combine(view.count)
                case .object: break
                default: hasher.combine(view.double)
                }
                index = view.isArray ? index + 1 : view.nextIndex
            } while index < root.nextIndex
        }
    }
}

extension Document: Hashable {
    /// Returns a Boolean value that indicates whether two documents are equal in meaning; see
    /// ``Node/==(_:_:)``.
    public static func == (left: Document, right: Document) -> Bool {
        left.storage === right.storage || left.root == right.root
    }

    /// Hashes the root value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(root)
    }
}

/// Compares two values with a list of pending pairs instead of recursion.
private func areEqual(_ left: NodeView, _ right: NodeView) -> Bool {
    var pending = [(left.index, right.index)]
    while let (leftIndex, rightIndex) = pending.popLast() {
        let left = left.at(leftIndex)
        let right = right.at(rightIndex)
        guard NodeKind(left.kind) == NodeKind(right.kind) else { return false }
        switch NodeKind(left.kind) {
        case .null:
            break
        case .boolean:
            guard left.kind == right.kind else { return false }
        case .number:
            guard areEqualNumbers(left, right) else { return false }
        case .string:
            guard left.compareText(right) == 0 else { return false }
        case .array:
            guard left.count == right.count else { return false }
            pending.reserveCapacity(pending.count + left.count)
            for (leftElement, rightElement) in zip(left.elements, right.elements) {
                pending.append((leftElement.index, rightElement.index))
            }
        case .object:
            let leftKeys = left.sortedDistinctKeys()
            let rightKeys = right.sortedDistinctKeys()
            guard leftKeys.count == rightKeys.count else { return false }
            for (leftKey, rightKey) in zip(leftKeys, rightKeys) {
                guard left.at(leftKey).compareText(right.at(rightKey)) == 0 else { return false }
                pending.append((leftKey + 1, rightKey + 1))
            }
        }
    }
    return true
}

private func areEqualNumbers(_ left: NodeView, _ right: NodeView) -> Bool {
    if left.kind == .integer, right.kind == .integer {
        return left.tapeNode.payload == right.tapeNode.payload
    }
    return ExactDecimal(left).isEqual(to: ExactDecimal(right))
}
