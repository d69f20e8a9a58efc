// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A list of plain values for loops in which an array's checks would be most of the time.
///
/// Copies share one list; who made it frees it.
///
/// Invariant: `state` is one allocated state, whose `start` is room for `capacity` elements made by
/// `malloc`, the first `count` of which are initialized. Neither is used after `free`.
@safe
@usableFromInline
struct FlatList<Element: BitwiseCopyable> {
    @safe
    @usableFromInline
    struct State {
        @usableFromInline var start: UnsafeMutablePointer<Element>
        @usableFromInline var count = 0
        @usableFromInline var capacity: Int
    }

    @usableFromInline let state: UnsafeMutablePointer<State>

    init(capacity: Int) {
        unsafe state = .allocate(capacity: 1)
        let room = unsafe reallocated(nil as UnsafeMutablePointer<Element>?, capacity)
        unsafe state.initialize(to: State(start: room, capacity: capacity))
    }

    /// Gives back the room.
    func free() {
        unsafe discard(state.pointee.start)
        unsafe state.deallocate()
    }

    /// Gives the elements to someone who frees them by `free`, and gives back the rest.
    func takeElements() -> UnsafeMutablePointer<Element> {
        let start = unsafe state.pointee.start
        unsafe state.deallocate()
        return unsafe start
    }

    /// Exchanges the elements of two lists.
    func swap(with other: FlatList) {
        unsafe Swift.swap(&state.pointee, &other.state.pointee)
    }

    /// How many elements there are.
    @inlinable @inline(__always)
    var count: Int { unsafe state.pointee.count }

    /// Where the elements are, until the list grows.
    @inlinable @inline(__always)
    var start: UnsafeMutablePointer<Element> { unsafe state.pointee.start }

    /// The elements, until the list grows.
    var elements: UnsafeBufferPointer<Element> {
        unsafe UnsafeBufferPointer(start: start, count: count)
    }

    /// The last element.
    @inline(__always)
    var last: Element? { count == 0 ? nil : self[count &- 1] }

    /// One of the elements, which must exist.
    subscript(index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < count)
            return unsafe state.pointee.start[index]
        }
        @inline(__always) nonmutating set {
            assert(index >= 0 && index < count)
            unsafe state.pointee.start[index] = newValue
        }
    }

    /// Makes room for so many elements more.
    @inlinable @inline(__always)
    func reserve(_ more: Int) {
        if unsafe state.pointee.capacity &- state.pointee.count < more { grow(more) }
    }

    @usableFromInline @inline(never)
    func grow(_ more: Int) {
        let capacity = max(unsafe state.pointee.capacity * 2, count + more + 16)
        unsafe state.pointee.start = reallocated(start, capacity)
        unsafe state.pointee.capacity = capacity
    }

    @inlinable @inline(__always)
    func append(_ element: Element) {
        reserve(1)
        unsafe (start + count).initialize(to: element)
        unsafe state.pointee.count &+= 1
    }

    /// Counts elements that were written behind the last one, into room made before.
    @inlinable @inline(__always)
    func extend(by more: Int) { unsafe state.pointee.count &+= more }

    /// Keeps so many elements, if there are more.
    @inline(__always)
    func truncate(to count: Int) { unsafe state.pointee.count = min(self.count, count) }
}

private func reallocated<Element>(
    _ start: UnsafeMutablePointer<Element>?, _ capacity: Int
) -> UnsafeMutablePointer<Element> {
    let size = capacity * MemoryLayout<Element>.stride
    guard let room = unsafe realloc(UnsafeMutableRawPointer(start), size) else {
        preconditionFailure("out of memory for \(capacity) elements")
    }
    return unsafe room.bindMemory(to: Element.self, capacity: capacity)
}

private func discard<Element>(_ room: UnsafeMutablePointer<Element>) { unsafe free(room) }
