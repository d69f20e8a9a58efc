// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What tasks ask of the driver thread.
enum CurlCommand {
    case start(CurlExchange)
    case resumeReceiving(CurlExchange)
    case resumeSending(CurlExchange)
    case gather(CurlExchange)
    case cancel(CurlExchange)
}

/// The way into the driver thread and its life.
///
/// Tasks put commands into a list; the thread takes them all at once. It is woken only when it
/// sleeps, so under load a request costs no wake-up.
final class CurlDriver: Sendable {
    private enum Life {
        case idle
        case running
        case closing
        case closed
    }

    private struct Inbox {
        var life = Life.idle
        var isAsleep = false
        var commands: [CurlCommand] = []
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: CurlTransport.Configuration
    private let inbox = Mutex(Inbox())
    private let multi = CurlMulti()

    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    func submit(_ command: CurlCommand) {
        var mustStart = false
        var mustWake = false
        let isAccepted = inbox.withLock { inbox in
            switch inbox.life {
            case .closing, .closed: return false
            case .idle:
                inbox.life = .running
                mustStart = true
            case .running: break
            }
            inbox.commands.append(command)
            mustWake = inbox.isAsleep
            inbox.isAsleep = false
            return true
        }
        if mustStart {
            startThread()
        } else if mustWake {
            multi.wake()
        } else if !isAccepted, case .start(let exchange) = command {
            exchange.pipe.fail(Self.closed(exchange.request), keepsBody: false)
        }
    }

    /// Asks the thread to end; it ends on its own time.
    func close() {
        let mustWake = inbox.withLock { inbox in
            let wasRunning = inbox.life == .running
            inbox.life = wasRunning ? .closing : inbox.life == .idle ? .closed : inbox.life
            let wasAsleep = inbox.isAsleep
            inbox.isAsleep = false
            return wasRunning && wasAsleep
        }
        if mustWake { multi.wake() }
    }

    /// Asks the thread to end and waits until it has let go of everything.
    func shutdown() async {
        await withCheckedContinuation { continuation in
            close()
            let isClosed = inbox.withLock { inbox in
                if inbox.life != .closed { inbox.closers.append(continuation) }
                return inbox.life == .closed
            }
            if isClosed { continuation.resume() }
        }
    }

    static func closed(_ request: TransportRequest) -> TransportError {
        TransportError(
            .closed, stage: .preparing, request: request, reason: "the transport was shut down")
    }

    // MARK: The thread

    private func startThread() {
        // Invariant: the reference behind `argument` is taken back once, by the thread, or here
        // when none can be made. `attributes` are used between being made and destroyed.
        let argument = unsafe Unmanaged.passRetained(self).toOpaque()
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, 1 << 20)
        defer { unsafe pthread_attr_destroy(&attributes) }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = unsafe pthread_create(&thread, &attributes, runCurlDriver, argument)
        if result != 0 {
            unsafe Unmanaged<CurlDriver>.fromOpaque(argument).release()
            end(.connectionFailed, reason: "no thread can be made (error \(result))")
        }
    }

    fileprivate func run() {
        keepFreedMemory()
        let loop = CurlLoop(multi: multi, configuration: configuration)
        var commands: [CurlCommand] = []
        while takeCommands(into: &commands) {
            loop.step(commands)
            commands.removeAll(keepingCapacity: true)
            if maySleep() {
                loop.wait()
                inbox.withLock { $0.isAsleep = false }
            }
        }
        loop.close()
        multi.close()
        end(.closed, reason: "the transport was shut down")
    }

    /// Lets glibc keep up to 32 MiB of what was freed.
    ///
    /// It gives memory back as soon as twice the largest block freed so far is idle. With bodies of a
    /// megabyte that is all the time, and to have their pages again costs more than the transfer.
    private func keepFreedMemory() {
        #if canImport(Glibc)
        let block = UnsafeMutableRawPointer.allocate(byteCount: 16 << 20, alignment: 16)
        unsafe block.deallocate()
        #endif
    }

    private func takeCommands(into commands: inout [CurlCommand]) -> Bool {
        inbox.withLock { inbox in
            swap(&commands, &inbox.commands)
            return inbox.life == .running || !commands.isEmpty
        }
    }

    private func maySleep() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.commands.isEmpty && inbox.life == .running
            return inbox.isAsleep
        }
    }

    private func end(_ code: TransportError.Code, reason: String) {
        let (commands, closers) = inbox.withLock { inbox in
            inbox.life = .closed
            defer {
                inbox.commands = []
                inbox.closers = []
            }
            return (inbox.commands, inbox.closers)
        }
        for case .start(let exchange) in commands {
            let error = TransportError(
                code, stage: .preparing, request: exchange.request, reason: reason)
            exchange.pipe.fail(error, keepsBody: false)
        }
        for closer in closers {
            closer.resume()
        }
    }
}

#if canImport(Darwin)
private func runCurlDriver(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<CurlDriver>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
#else
private func runCurlDriver(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<CurlDriver>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
#endif
