// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// The event loop of the driver thread, which starts transfers, runs libcurl and delivers data.
///
/// Invariant: confined to the driver thread, with all its transfers. `multi` lives until after
/// ``close()``, when the driver closes it. Every handle in it belongs to a transfer in `active`.
@safe final class CurlLoop {
    private let multi: UnsafeMutableRawPointer?
    private let configuration: CurlTransport.Configuration
    private var active: [CurlTransfer] = []
    private var reusable: [CurlTransfer] = []
    private var undelivered: [CurlTransfer] = []
    private var waitingForTurn: [CurlTransfer] = []
    private var nextDeadline: ExchangeInstant?

    /// The connections that libcurl has opened.
    var connections = CurlConnections()

    /// The time at which the current step started, or ran libcurl.
    private(set) var now = ExchangeInstant.now

    init(multi: CurlMulti, configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        multi.open(configuration)
        unsafe self.multi = multi.handle
    }

    /// Runs the commands and all work that needs no waiting.
    func step(_ commands: [CurlCommand]) {
        now = .now
        for command in commands {
            switch command {
            case .start(let exchange): start(exchange)
            case .resumeReceiving(let exchange): unsafe exchange.transfer?.resumeReceiving()
            case .resumeSending(let exchange): unsafe exchange.transfer?.resumeSending()
            case .collect(let exchange): unsafe exchange.transfer?.collect()
            case .cancel(let exchange):
                if let transfer = unsafe exchange.transfer { stop(transfer) }
            }
        }
        guard let multi = unsafe multi else { return }
        var runningCount: Int32 = 0
        unsafe curl_multi_perform(multi, &runningCount)
        now = .now
        finishTransfers()
        deliverReceivedData()
        if let nextDeadline, nextDeadline <= now { expireTransfers() }
        beginTurns()
    }

    /// Waits for activity of a connection, a timer or a task.
    func wait() {
        guard let multi = unsafe multi else { return }
        let longest = Duration.seconds(60)
        let time = max(.zero, min(nextDeadline.map { $0 - now } ?? longest, longest))
        unsafe curl_multi_poll(multi, nil, 0, Int32(time / .milliseconds(1)) + 1, nil)
    }

    /// Ends all transfers and closes all of their handles.
    func close() {
        for transfer in active {
            if let exchange = transfer.exchange {
                exchange.pipe.fail(CurlDriver.closed(exchange.request), keepsBody: false)
            }
            remove(transfer)
        }
        for transfer in reusable {
            transfer.close()
        }
        reusable = []
    }

    /// Schedules the delivery of the data of a transfer at the end of the current step.
    func scheduleDelivery(of transfer: CurlTransfer) {
        undelivered.append(transfer)
    }

    /// Schedules the next turn of a transfer that has used up its share of the current step.
    func scheduleTurn(of transfer: CurlTransfer) {
        waitingForTurn.append(transfer)
    }

    // MARK: Lifecycle of a transfer

    private func start(_ exchange: CurlExchange) {
        guard exchange.pipe.isWanted else { return }
        guard let multi = unsafe multi,
            let transfer = reusable.popLast()
                ?? CurlTransfer(loop: self, configuration: configuration)
        else {
            let error = TransportError(
                .connectionFailed, stage: .preparing, request: exchange.request,
                reason: "libcurl provides no handle, or does not support the TLS configuration")
            exchange.pipe.fail(error, keepsBody: false)
            return
        }
        transfer.begin(exchange)
        transfer.index = active.count
        active.append(transfer)
        if let deadline = transfer.earliestDeadline {
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }
        unsafe curl_multi_add_handle(multi, transfer.easy)
    }

    /// Removes a transfer whose exchange is not complete.
    private func stop(_ transfer: CurlTransfer) {
        transfer.willStop()
        remove(transfer)
    }

    /// Removes a transfer; libcurl closes its connection if the response is incomplete.
    func remove(_ transfer: CurlTransfer) {
        if let multi = unsafe multi {
            unsafe curl_multi_remove_handle(multi, transfer.easy)
        }
        let last = active.removeLast()
        if last !== transfer {
            active[transfer.index] = last
            last.index = transfer.index
        }
        transfer.end()
        if transfer.isReusable, reusable.count < configuration.connectionCount {
            reusable.append(transfer)
        } else {
            transfer.close()
        }
    }

    private func finishTransfers() {
        guard let multi = unsafe multi else { return }
        var result = CURLE_OK
        while let easy = unsafe ccurl_multi_next_finished(multi, &result) {
            let transfer = unsafe CurlTransfer.of(easy)
            if transfer.needsOtherConnection {
                unsafe curl_multi_remove_handle(multi, easy)
                transfer.retry()
                unsafe curl_multi_add_handle(multi, easy)
                continue
            }
            transfer.finish(result)
            remove(transfer)
        }
    }

    private func deliverReceivedData() {
        // Resuming a paused transfer may schedule its delivery again.
        while let transfer = undelivered.popLast() {
            transfer.deliverReceivedData()
        }
    }

    private func beginTurns() {
        while let transfer = waitingForTurn.popLast() {
            transfer.beginTurn()
        }
    }

    private func expireTransfers() {
        nextDeadline = nil
        for transfer in active {
            if transfer.expire() {
                stop(transfer)
            } else if let deadline = transfer.earliestDeadline {
                nextDeadline = min(nextDeadline ?? deadline, deadline)
            }
        }
    }
}
